// SPDX-License-Identifier: Apache-2.0
/** A running server goes on with a renewed certificate, without a restart. */
import {X509Certificate} from 'node:crypto';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {connect, type TLSSocket} from 'node:tls';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {listenTls, type TlsListener} from '../port/listeners.ts';
import {startCertificateRenewal} from './certificate-renewal.ts';
import {CHECK_MS, ownCertificate, type ServerCertificate} from './certificates.ts';
import {givenCertificate, givenReplacement} from './given-certificate.ts';

const HOST = '127.0.0.1';
const RENEWED_AFTER_MS = 336 * 86_400_000;
/** Handshakes look at the real clock, so the first certificate is from so long ago that it is due now. */
const START_MS = Date.now() - RENEWED_AFTER_MS;

let dir = '';
let nowMs = START_MS;
let due: (() => void)[] = [];
const said: string[] = [];
const say = (_fields: object, message?: string): void => void said.push(message ?? '');
const log = {info: say, warn: say, error: say};
const timers = {
  after: (delayMs: number, action: () => void) => {
    expect(delayMs).toBe(CHECK_MS);
    due.push(action);
    return {
      cancel: () => {
        due = due.filter(other => other !== action);
      },
    };
  },
};
const load = (): Promise<ServerCertificate> => ownCertificate(dir, HOST, {nowMs, log});

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-pki-'));
  [nowMs, due] = [START_MS, []];
  said.length = 0;
});
afterEach(() => rm(dir, {recursive: true}));

/** A connection that trusts `ca` only. */
const open = ({address}: TlsListener, ca: string): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({port: address.port, host: HOST, ca, ALPNProtocols: ['http/1.1']}, () => resolve(socket));
    socket.once('error', reject);
  });
const certificateOf = (socket: TLSSocket): string => socket.getPeerX509Certificate()?.toString() ?? '';
const answerOf = async (socket: TLSSocket): Promise<string> => {
  socket.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
  for await (const chunk of socket.iterator({destroyOnReturn: false})) return String(chunk).split('\r\n')[0] ?? '';
  return '';
};
/** Runs what is due, and waits until its outcome was told. */
const look = async (): Promise<void> => {
  const before = said.length;
  for (const action of due.splice(0)) action();
  await expect.poll(() => said.length, {timeout: 20_000}).toBeGreaterThan(before);
};

test('the timer renews it before its end, new connections get it, open ones go on, and the CA of before is enough', async () => {
  const current = await load();
  said.length = 0;
  const listener = await listenTls({host: HOST, port: 0}, 'https', current, (_request, response) => {
    response.end();
  });
  const inUse: ServerCertificate[] = [];
  const renewal = startCertificateRenewal({
    current,
    load,
    use: renewed => {
      listener.setCertificate(renewed);
      inUse.push(renewed);
    },
    timers,
    log,
  });
  const early = await open(listener, current.ca);
  expect(certificateOf(early).trim()).toBe(new X509Certificate(current.cert).toString().trim());

  nowMs += RENEWED_AFTER_MS;
  await look();
  await expect.poll(() => inUse, {timeout: 20_000}).toHaveLength(1);
  const late = await open(listener, current.ca);
  expect(certificateOf(late)).not.toBe(certificateOf(early));
  expect(await answerOf(early)).toBe('HTTP/1.1 200 OK');
  expect(await answerOf(late)).toBe('HTTP/1.1 200 OK');
  await renewal.stop();
  expect(due).toEqual([]);
  for (const socket of [early, late]) socket.destroy();
  await listener.close();
});

test('a failure is told and tried again; a good certificate is left alone', async () => {
  const current = await load();
  const used: string[] = [];
  const answers: (() => Promise<ServerCertificate>)[] = [
    () => Promise.reject(new Error('the disk is full')),
    async () => current,
    async () => ({...current, cert: 'renewed'}),
  ];
  const renewal = startCertificateRenewal({
    current,
    load: () => (answers.shift() as () => Promise<ServerCertificate>)(),
    use: ({cert}) => void used.push(cert),
    timers,
    log,
  });
  await look();
  expect(said.at(-1)).toContain('certificate renewal failed');
  for (const action of due.splice(0)) action();
  await expect.poll(() => answers.length).toBe(1);
  await look();
  expect(used).toEqual(['renewed']);
  await renewal.stop();
});

test('a pair of the user that was replaced is used when asked to look; one that does not fit or is out of its time is not', async () => {
  const files = {certFile: join(dir, 'given.crt'), keyFile: join(dir, 'given.key')};
  const put = async (pair: {cert: string; key: string}): Promise<void> => {
    await writeFile(files.certFile, pair.cert);
    await writeFile(files.keyFile, pair.key);
  };
  const ended = await load(); // 31 days from now
  nowMs += RENEWED_AFTER_MS;
  const first = await load();
  await put(first);
  const used: string[] = [];
  const renewal = startCertificateRenewal({
    current: await givenCertificate(files),
    load: () => givenReplacement(files, nowMs + 31 * 86_400_000),
    use: ({cert}) => void used.push(cert),
    timers,
    log,
  });
  said.length = 0;
  await renewal.look();
  expect([said, used]).toEqual([[], []]);
  await rm(join(dir, 'pki/server.crt'));
  const second = await load();
  const bad = [
    {cert: second.cert, key: first.key},
    {cert: second.cert.slice(0, 100), key: second.key},
    {cert: second.cert, key: ''},
    ended,
  ];
  for (const pair of bad) {
    said.length = 0;
    await put(pair);
    await renewal.look();
    expect(said).toEqual([expect.stringContaining('the current certificate stays in use')]);
  }
  expect(used).toEqual([]);
  await put(second);
  await renewal.look();
  expect(used).toEqual([second.cert]);
  await renewal.stop();
});
