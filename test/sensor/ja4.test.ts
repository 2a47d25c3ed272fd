// SPDX-License-Identifier: Apache-2.0
/** JA4 as the API shows it is JA4 as Suricata matches it: of real ClientHellos, by a rule with `ja4.hash`. */
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {type ConnectionOptions, connect} from 'node:tls';
import {tcpSession, toPcap} from '@palisade/sensor/testing';
import {describe, expect, test} from 'vitest';
import {ja4Of} from '../../packages/ids/src/evidence/ja4.ts';
import {inspectOffline} from '../../packages/sensor/src/testing/offline.ts';
import {skipReason, whyNot} from './lab/lab.ts';

/** What a client of Node says first. */
const clientHello = async (options: ConnectionOptions): Promise<Buffer> => {
  const server = createServer();
  const sent = new Promise<Buffer>(resolve =>
    server.on('connection', socket =>
      socket.once('data', data => {
        socket.destroy();
        resolve(data);
      }),
    ),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  connect({port, host: '127.0.0.1', rejectUnauthorized: false, ...options}).on('error', () => {});
  const hello = await sent;
  server.close();
  return hello;
};

const CLIENTS: Readonly<Record<string, ConnectionOptions>> = {
  'TLS 1.3 with SNI and ALPN': {servername: 'shop.example', ALPNProtocols: ['h2', 'http/1.1']},
  'without SNI and ALPN': {},
  'TLS 1.2 with few ciphers': {
    ...{servername: 'shop.example', maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1']},
    ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:AES256-SHA',
  },
};

test('44-2 JA4: what is no whole ClientHello has none', async () => {
  const hello = await clientHello({servername: 'shop.example'});
  expect(ja4Of(hello)).toMatch(/^t13d\d{4}00_[0-9a-f]{12}_[0-9a-f]{12}$/);
  for (let bytes = 0; bytes < hello.length; bytes += 7) expect(ja4Of(hello.subarray(0, bytes))).toBeUndefined();
  expect(ja4Of(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toBeUndefined();
});

describe.skipIf(whyNot !== undefined)(`JA4 of Suricata${skipReason}`, () => {
  test.each(Object.entries(CLIENTS))('44-2 JA4 of a client: %s', async (_, options) => {
    const hello = await clientHello(options);
    const ja4 = ja4Of(hello) ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'palisade-ja4-'));
    try {
      const rules = join(folder, 'ja4.rules');
      writeFileSync(rules, `alert tls any any -> any any (msg:"ja4"; ja4.hash; content:"${ja4}"; sid:1;)\n`);
      const ends = {client: '10.0.0.1', server: '10.0.0.2', serverPort: 443};
      const alerts = await inspectOffline([rules], toPcap(tcpSession(ends, [{from: 'client', data: hello}]), 0));
      expect(alerts.map(({sid}) => sid)).toEqual([1]);
    } finally {
      rmSync(folder, {recursive: true});
    }
  });
});
