// SPDX-License-Identifier: Apache-2.0
/** The TLS port: its versions of TLS, and what it makes of client certificates. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {type ConnectionOptions, connect} from 'node:tls';
import {type Credentials, credentialsOf} from '@palisade/apiserver';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type OwnCertificates, ownCertificates} from '../pki/certificates.ts';
import {issueClient} from '../pki/change-certificates.ts';
import {listenTls, type TlsListener} from './listeners.ts';

const HOST = '127.0.0.1';
const log = {info: () => {}, warn: () => {}};
let dir: string;
let other: string;
let own: OwnCertificates;
let foreign: OwnCertificates;
let listener: TlsListener;
let seen: Credentials | undefined;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-tls-'));
  other = await mkdtemp(join(tmpdir(), 'palisade-tls-'));
  own = await ownCertificates(dir, {host: HOST, admin: true}, {nowMs: Date.now(), log});
  foreign = await ownCertificates(other, {admin: true}, {nowMs: Date.now(), log});
  const {cert = '', key = '', ca = ''} = own.server ?? {};
  listener = await listenTls({host: HOST, port: 0}, 'https', {cert, key, clientCa: ca}, (request, response) => {
    seen = credentialsOf(request);
    response.end();
  });
});
afterAll(async () => {
  listener.force();
  await listener.close();
  for (const folder of [dir, other]) await rm(folder, {recursive: true});
});

/** One request; resolves to the version of TLS. */
const ask = (options: ConnectionOptions): Promise<string | null> =>
  new Promise((resolve, reject) => {
    seen = undefined;
    const socket = connect({
      port: listener.address.port,
      host: HOST,
      ca: own.ca,
      ALPNProtocols: ['http/1.1'],
      ...options,
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const version = socket.getProtocol();
      socket.once('data', () => {
        socket.destroy();
        resolve(version);
      });
      socket.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    });
  });

describe('47-1 versions of TLS', () => {
  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is spoken', async version => {
    expect(await ask({minVersion: version, maxVersion: version})).toBe(version);
  });

  test.each(['TLSv1', 'TLSv1.1'] as const)('%s is refused', async version => {
    const old = ask({minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0'});
    await expect(old).rejects.toMatchObject({code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'});
  });
});

describe('47-2 client certificates', () => {
  test('of the CA: the name, the groups and the whole chain', async () => {
    await ask({cert: own.admin?.cert, key: own.admin?.key});
    expect(seen?.clientCertificate).toMatchObject({commonName: 'palisade-admin', organizations: ['system:masters']});
    expect(seen?.clientCertificate?.chain).toHaveLength(2);
    expect(seen?.certificateFault).toBeUndefined();
  });

  test('none is no fault', async () => {
    await ask({});
    expect(seen).toMatchObject({remoteAddress: HOST});
    expect([seen?.clientCertificate, seen?.certificateFault]).toEqual([undefined, undefined]);
  });

  const ended = async () => {
    const then = Date.now() - 3 * 86_400_000;
    return issueClient(dir, {commonName: 'late', organizations: [], notAfterMs: then + 3_600_000}, then);
  };
  test.each([
    ['of another CA', async () => foreign.admin, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['that has ended', ended, 'CERT_HAS_EXPIRED'],
    ['for servers only', async () => own.server, 'INVALID_PURPOSE'],
  ])('one %s is a fault of the request, not of the connection', async (_, pair, fault) => {
    const {cert, key} = (await pair()) ?? {};
    await ask({cert, key});
    expect(seen?.clientCertificate).toBeUndefined();
    expect(seen?.certificateFault).toBe(`client certificate not accepted: ${fault}`);
  });

  test('a later connection is verified again: no session is resumed', async () => {
    const sessions: Buffer[] = [];
    const first = connect({port: listener.address.port, host: HOST, ca: own.ca, maxVersion: 'TLSv1.2'});
    first.on('session', session => sessions.push(session));
    await new Promise(resolve => first.once('secureConnect', resolve));
    const session = first.getSession() ?? sessions[0];
    first.destroy();
    const second = connect({port: listener.address.port, host: HOST, ca: own.ca, maxVersion: 'TLSv1.2', session});
    await new Promise(resolve => second.once('secureConnect', resolve));
    expect(second.isSessionReused()).toBe(false);
    second.destroy();
  });
});
