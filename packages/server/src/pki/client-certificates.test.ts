// SPDX-License-Identifier: Apache-2.0
/** Which client certificates count: by the clock, by the CAs and by the revocation lists, at each request. */
import {X509Certificate} from 'node:crypto';
import {appendFile, cp, mkdtemp, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ClientCertificate} from '@palisade/apiserver';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {systemTimers} from '../process/system.ts';
import {certificateFacts} from './certificate-facts.ts';
import {type ClientAuthority, ownCertificates} from './certificates.ts';
import {issueClient, revoke, revokeAll, rotate} from './change-certificates.ts';
import {ClientCertificates} from './client-certificates.ts';
import {readClientAuthorities} from './client-files.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);

let dir = '';
let nowMs = START_MS;
let said: string[] = [];
const say = (_fields: object, message?: string): void => void said.push(message ?? '');
const log = {info: say, warn: say, error: say};
let clients: ClientCertificates;
const pki = (name: string): string => join(dir, 'pki', name);
const own = () => ownCertificates(dir, {host: '127.0.0.1', admin: true}, {nowMs, log});
const open = async (authorities: readonly ClientAuthority[]): Promise<ClientCertificates> => {
  const opened = new ClientCertificates({
    dataDir: dir,
    caFile: undefined,
    crlFile: undefined,
    compat: 'spec',
    clock: {now: () => nowMs},
    timers: systemTimers,
    log,
  });
  opened.trust(authorities);
  await opened.start();
  return opened;
};

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'palisade-clients-'));
/** A folder after its first start, which each test gets a copy of: a process makes its certificates. */
let first: {readonly dir: string; readonly authorities: readonly ClientAuthority[]};
beforeAll(async () => {
  dir = await newFolder();
  first = {dir, authorities: (await own()).authorities};
});
afterAll(() => rm(first.dir, {recursive: true}));
beforeEach(async () => {
  dir = await newFolder();
  await cp(first.dir, dir, {recursive: true});
  nowMs = START_MS;
  said = [];
  clients = await open(first.authorities);
});
afterEach(async () => {
  await clients.stop();
  await rm(dir, {recursive: true});
});

/** As the handshake of a connection hands it on. */
const shown = (cert: string, ca: string): ClientCertificate => {
  const [leaf, issuer] = [new X509Certificate(cert), new X509Certificate(ca)];
  const [, commonName = ''] = /CN=(.*)/.exec(leaf.subject) ?? [];
  return {
    commonName,
    organizations: [],
    serialNumber: leaf.serialNumber,
    chain: [leaf.raw, issuer.raw],
    notAfterMs: Date.parse(leaf.validTo),
  };
};
const jane = (ttlMs = DAY_MS) =>
  issueClient(dir, {commonName: 'jane', organizations: ['soc'], notAfterMs: nowMs + ttlMs}, nowMs);
const answer = async (certificate: ClientCertificate): Promise<unknown> => {
  const {outcome, ...more} = await clients.authenticator.authenticate({headers: {}, clientCertificate: certificate});
  return 'reason' in more ? more.reason : outcome;
};
const REVOKED = 'client certificate not accepted: it is revoked';

test('47-2 a certificate of the CA counts until its end, also on a connection that outlives it', async () => {
  const {cert, ca} = await jane(3_600_000);
  const certificate = shown(cert, ca);
  expect(await answer(certificate)).toBe('user');
  nowMs += 3_600_001;
  expect(await answer(certificate)).toBe('client certificate not accepted: it has expired');
});

test('47-2 the administrator has a certificate of its own, readable for its owner only, and gets another one in time', async () => {
  const first = (await own()).admin;
  expect(new X509Certificate(first?.cert ?? '').subject.split('\n')).toEqual(['O=system:masters', 'CN=palisade-admin']);
  expect((await stat(pki('admin.key'))).mode & 0o777).toBe(0o600);
  nowMs += 334 * DAY_MS;
  expect((await own()).admin).toEqual(first);
  nowMs += 2 * DAY_MS;
  expect((await own()).admin?.cert).not.toBe(first?.cert);
});

test('47-2 without the key of its CA there is no administrator certificate, and the log says why; the CA stays', async () => {
  const {ca} = await own();
  for (const name of ['ca.key', 'admin.crt', 'admin.key']) await rm(pki(name));
  said = [];
  const kept = await own();
  expect([kept.ca, kept.admin]).toEqual([ca, undefined]);
  expect(said).toEqual([expect.stringContaining('palisade certs rotate --ca')]);
});

describe('revocation', () => {
  const readAgain = (words: string): Promise<void> =>
    expect.poll(() => said.filter(text => text.includes(words)).length, {timeout: 20_000}).toBeGreaterThan(0);

  test('47-2 a revoked certificate is refused at the next request, others and the same user with another one are not', async () => {
    const [first, second] = [await jane(), await jane()];
    const certificates = [first, second].map(({cert, ca}) => shown(cert, ca)) as [ClientCertificate, ClientCertificate];
    expect(await Promise.all(certificates.map(answer))).toEqual(['user', 'user']);
    expect(await revoke(dir, {pem: first.cert, said: 'jane.crt'}, nowMs)).toMatchObject({isNew: true});
    await readAgain('revocation list read');
    expect(await Promise.all(certificates.map(answer))).toEqual([REVOKED, 'user']);
    const {serialNumber} = new X509Certificate(second.cert);
    said = [];
    await revoke(dir, {serial: serialNumber.toLowerCase()}, nowMs);
    await readAgain('revocation list read');
    expect(await Promise.all(certificates.map(answer))).toEqual([REVOKED, REVOKED]);
    expect(await revoke(dir, {serial: serialNumber}, nowMs)).toMatchObject({serial: serialNumber, isNew: false});
    expect((await certificateFacts(dir, nowMs)).revoked).toHaveLength(2);
  });

  test('47-2 a serial number is the same with and without leading zeros, in either case of letters', async () => {
    const results = [];
    for (const serial of ['0cf7', 'CF7', '000CF7']) results.push(await revoke(dir, {serial}, nowMs));
    expect(results).toMatchObject([true, false, false].map(isNew => ({serial: '0CF7', isNew})));
    expect((await certificateFacts(dir, nowMs)).revoked).toEqual([{serial: '0CF7', atMs: nowMs}]);
  });

  test.each([
    ['is no list', async () => writeFile(pki('client.crl'), 'junk')],
    [
      'is of another CA',
      async () => {
        const other = await mkdtemp(join(tmpdir(), 'palisade-other-'));
        await ownCertificates(other, {admin: true}, {nowMs, log});
        await revoke(other, {serial: '01'}, nowMs);
        await writeFile(pki('client.crl'), await readFile(join(other, 'pki', 'client.crl')));
        await rm(other, {recursive: true});
      },
    ],
    ['was removed', () => rm(pki('client.crl'))],
  ])(
    '47-2 a list that %s leaves the previous one in force; a server does not start with it, but without one',
    async (what, damage) => {
      const {cert, ca} = await jane();
      const certificate = shown(cert, ca);
      await revoke(dir, {pem: cert, said: 'jane.crt'}, nowMs);
      await readAgain('revocation list read');
      await damage();
      await readAgain('revocation list unusable, the previous one stays in force');
      expect(await answer(certificate)).toBe(REVOKED);
      if (what === 'was removed') return;
      await expect(open((await own()).authorities)).rejects.toThrow(/client\.crl: .*; replace the file$/);
    },
  );

  test('47-2 a client that adds a certificate with the name of the CA hides neither its revocation nor its issuer', async () => {
    const {cert, ca} = await jane();
    const other = await mkdtemp(join(tmpdir(), 'palisade-other-'));
    const forged = (await ownCertificates(other, {admin: false}, {nowMs, log})).ca;
    await rm(other, {recursive: true});
    expect(new X509Certificate(forged).subject).toBe(new X509Certificate(ca).subject);
    await revoke(dir, {pem: cert, said: 'jane.crt'}, nowMs);
    await readAgain('revocation list read');
    const certificate = shown(cert, ca);
    const [leaf, issuer] = certificate.chain as [Buffer, Buffer];
    expect(await answer({...certificate, chain: [leaf, new X509Certificate(forged).raw, issuer]})).toBe(
      'client certificate not accepted: its CA is not trusted',
    );
    expect(await answer(certificate)).toBe(REVOKED);
  });

  test('47-2 the other certificate of the CA, which the server itself shows, hides no revocation', async () => {
    await own();
    await rotate(dir, {ca: true, overlapMs: DAY_MS, nowMs});
    const {authorities, server} = await own();
    const cross = /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g;
    const [, signed = ''] = (server?.cert ?? '').match(cross) ?? [];
    const {cert, ca} = await jane(DAY_MS / 2);
    await revoke(dir, {pem: cert, said: 'jane.crt'}, nowMs);
    await clients.stop();
    clients = await open(authorities);
    const certificate = shown(cert, ca);
    const [leaf] = certificate.chain as [Buffer];
    const chain = [leaf, ...[signed, authorities[1]?.pem ?? ''].map(pem => new X509Certificate(pem).raw)];
    expect(await answer({...certificate, chain})).toBe(REVOKED);
  });

  test('47-2 a certificate of another CA cannot be revoked here', async () => {
    const other = await mkdtemp(join(tmpdir(), 'palisade-other-'));
    const {admin} = await ownCertificates(other, {admin: true}, {nowMs, log});
    await rm(other, {recursive: true});
    await expect(revoke(dir, {pem: admin?.cert ?? '', said: 'x.crt'}, nowMs)).rejects.toThrow(
      'x.crt: is not of the CA',
    );
  });
});

describe('what is no client certificate', () => {
  test('47-2 the certificates of the CA and of the server are refused, as files and as serial numbers', async () => {
    const {ca, server, admin} = await own();
    const refused = async (what: string, pem = '') => {
      const fault = `is the certificate of a ${what}, not of a client`;
      await expect(revoke(dir, {pem, said: 'x.crt'}, nowMs)).rejects.toThrow(`x.crt: ${fault}`);
      const {serialNumber: serial} = new X509Certificate(pem);
      await expect(revoke(dir, {serial}, nowMs)).rejects.toThrow(fault);
    };
    await refused('CA', ca);
    await refused('server', server?.cert);
    expect(await revoke(dir, {pem: admin?.cert ?? '', said: 'admin.crt'}, nowMs)).toMatchObject({isAdmin: true});
    expect(await rotate(dir, {ca: false, overlapMs: 0, nowMs})).toMatchObject({adminWasRevoked: true});
    expect(await rotate(dir, {ca: false, overlapMs: 0, nowMs})).toMatchObject({adminWasRevoked: false});
    expect(await revoke(dir, {serial: 'ABCDEF'}, nowMs)).toMatchObject({isNew: true, isKnown: false});
  });

  test('47-2 the register has what was issued, and half a line of a crash hides no other', async () => {
    const [first, second] = [await jane(), await jane()];
    await appendFile(pki('issued.jsonl'), '{"serial":"0');
    const third = await jane();
    const serials = [first, second, third].map(({cert}) => new X509Certificate(cert).serialNumber);
    const {issued, found} = await certificateFacts(dir, nowMs);
    expect(issued.map(({serial}) => serial)).toEqual(serials);
    const ca = found.find(({name}) => name === 'ca')?.fingerprint;
    expect(issued[0]).toMatchObject({user: 'jane', groups: ['soc'], issuedAt: new Date(nowMs).toISOString(), ca});
    expect((await revokeAll(dir, {user: 'jane'}, nowMs)).map(({serial}) => serial)).toEqual(serials);
    expect((await certificateFacts(dir, nowMs)).issued).toEqual([]);
  });
});

describe('rotation', () => {
  test('47-1 another CA: during the overlap both count, their lists too, and afterwards only the new one', async () => {
    const before = await jane(90 * DAY_MS);
    const other = await jane(90 * DAY_MS);
    const first = await own();
    const rotated = await rotate(dir, {ca: true, overlapMs: 7 * DAY_MS, nowMs});
    expect(rotated.overlapUntilMs).toBe(nowMs + 7 * DAY_MS);
    const second = await own();
    expect(second.ca).not.toBe(first.ca);
    clients.trust(second.authorities);
    const after = await jane(90 * DAY_MS);
    const [old, late] = [shown(before.cert, before.ca), shown(after.cert, after.ca)];
    expect([await answer(old), await answer(late)]).toEqual(['user', 'user']);
    await revoke(dir, {pem: other.cert, said: 'other.crt'}, nowMs);
    await clients.stop();
    clients = await open(second.authorities);
    expect(await answer(shown(other.cert, other.ca))).toBe(REVOKED);
    nowMs += 7 * DAY_MS + 1;
    expect(await answer(old)).toBe('client certificate not accepted: its CA is not trusted');
    expect(await answer(late)).toBe('user');
    expect((await own()).authorities.map(({pem}) => pem)).toEqual([second.ca]);
  });

  test('47-1 the server shows that the previous CA signed the new one, so clients of either verify it', async () => {
    const first = await own();
    await rotate(dir, {ca: true, overlapMs: DAY_MS, nowMs});
    const {server, ca} = await own();
    const [leaf, cross] = (server?.cert ?? '')
      .split(/(?=-----BEGIN)/)
      .filter(text => text.startsWith('-----BEGIN'))
      .map(pem => new X509Certificate(pem));
    if (leaf === undefined || cross === undefined) throw new Error('no chain');
    expect(leaf.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(leaf.checkIssued(cross) && cross.verify(new X509Certificate(first.ca).publicKey)).toBe(true);
    await expect(rotate(dir, {ca: true, overlapMs: DAY_MS, nowMs})).rejects.toThrow('--overlap 0s');
    expect((await rotate(dir, {ca: true, overlapMs: 0, nowMs})).overlapUntilMs).toBeUndefined();
    expect((await own()).authorities).toHaveLength(1);
  });

  test('47-1 the certificates alone: the CA stays, and the names of the server too', async () => {
    const first = await own();
    const {adminBefore} = await rotate(dir, {ca: false, overlapMs: 0, nowMs});
    const second = await own();
    expect([second.ca, second.server?.cert === first.server?.cert]).toEqual([first.ca, false]);
    expect(adminBefore).toBe(new X509Certificate(first.admin?.cert ?? '').serialNumber);
    const names = (cert = '') => new X509Certificate(cert).subjectAltName;
    expect(names(second.server?.cert)).toBe(names(first.server?.cert));
  });
});

describe('a CA of the user', () => {
  let other = '';
  beforeEach(async () => {
    other = await mkdtemp(join(tmpdir(), 'palisade-user-'));
    await ownCertificates(other, {admin: false}, {nowMs, log});
  });
  afterEach(() => rm(other, {recursive: true}));

  test('47-2 its certificates count in addition, and what its list revokes does not', async () => {
    const wish = {commonName: 'staff', organizations: [], notAfterMs: nowMs + DAY_MS};
    const [staff, gone] = [await issueClient(other, wish, nowMs), await issueClient(other, wish, nowMs)];
    await revoke(other, {pem: gone.cert, said: 'gone.crt'}, nowMs);
    const [caFile, crlFile] = [join(other, 'pki', 'ca.crt'), join(other, 'pki', 'client.crl')];
    await clients.stop();
    clients = new ClientCertificates({
      dataDir: dir,
      caFile,
      crlFile,
      compat: 'spec',
      clock: {now: () => nowMs},
      timers: systemTimers,
      log,
    });
    clients.trust([...(await own()).authorities, ...(await readClientAuthorities(caFile))]);
    await clients.start();
    const mine = await jane();
    expect(await answer(shown(mine.cert, mine.ca))).toBe('user');
    expect(await answer(shown(staff.cert, staff.ca))).toBe('user');
    expect(await answer(shown(gone.cert, gone.ca))).toBe(REVOKED);
  });

  test('47-2 a file of it that cannot be used is named with its fault', async () => {
    const file = join(other, 'x.crt');
    await expect(readClientAuthorities(file)).rejects.toThrow(`--client-ca-file ${file}: cannot be read`);
    await writeFile(file, 'junk');
    await expect(readClientAuthorities(file)).rejects.toThrow('contains no certificate in PEM form');
    await writeFile(file, '-----BEGIN CERTIFICATE-----\njunk\n-----END CERTIFICATE-----\n');
    await expect(readClientAuthorities(file)).rejects.toThrow('certificate number 1 is damaged');
  });
});

test('47-1 a folder in which no server ran is named, with the way out', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'palisade-empty-'));
  const wish = {commonName: 'x', organizations: [], notAfterMs: nowMs + DAY_MS};
  const fault = `no certificate authority in ${empty}; start the server once, or check --data`;
  await expect(issueClient(empty, wish, nowMs)).rejects.toThrow(fault);
  await expect(revoke(empty, {serial: '01'}, nowMs)).rejects.toThrow(fault);
  await rm(empty, {recursive: true});
});
