// SPDX-License-Identifier: Apache-2.0
/** The certificate of our own: the CA stays, the server certificate is renewed in time, and files are never half written. */
import {X509Certificate} from 'node:crypto';
import {mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {replaceFile} from '../process/replace-file.ts';
import {
  missingNames,
  namesOfListener,
  ownCertificate,
  ownCertificates,
  type ServerCertificate,
} from './certificates.ts';
import {givenAtStart, givenReplacement} from './given-certificate.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);
const HOST = '127.0.0.1';

let dir = '';
let warnings: string[] = [];
const log = {info: () => {}, warn: (_fields: object, message?: string) => void warnings.push(message ?? '')};
beforeEach(async () => {
  warnings = [];
  dir = await mkdtemp(join(tmpdir(), 'palisade-pki-'));
});
afterEach(() => rm(dir, {recursive: true}));

const at = (days: number, host = HOST): Promise<ServerCertificate> =>
  ownCertificate(dir, host, {nowMs: START_MS + days * DAY_MS, log});
const pki = (name: string): string => join(dir, 'pki', name);

const expectValid = ({cert, ca}: ServerCertificate, days: number): void => {
  const [leaf, issuer] = [new X509Certificate(cert), new X509Certificate(ca)];
  expect(leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey)).toBe(true);
  for (const {validFrom, validTo} of [leaf, issuer]) {
    expect(Date.parse(validFrom)).toBeLessThan(START_MS + days * DAY_MS);
    expect(Date.parse(validTo)).toBeGreaterThan(START_MS + days * DAY_MS);
  }
};

describe('renewal', () => {
  test('a good certificate is kept; within 30 days of its end it is made anew by the same CA', async () => {
    const first = await at(0);
    expectValid(first, 0);
    expect(await at(334)).toEqual(first);
    const second = await at(336);
    expectValid(second, 336);
    expect(second.cert).not.toBe(first.cert);
    expect(second.key).not.toBe(first.key);
    expect(second.ca).toBe(first.ca);
    expect(await at(337)).toEqual(second);
    expect(warnings).toEqual([]);
  });

  test('another host is named by a new certificate of the same CA', async () => {
    const first = await at(0);
    const other = await at(0, 'server.example');
    expect(new X509Certificate(other.cert).checkHost('server.example')).toBeDefined();
    expect(other.ca).toBe(first.ca);
  });

  test('no certificate outlives its CA, and near the end of the CA both are made anew, which is told', async () => {
    const first = await at(0);
    const last = await at(3400);
    expect(last.ca).toBe(first.ca);
    expect(new X509Certificate(last.cert).validTo).toBe(new X509Certificate(first.ca).validTo);
    const next = await at(3630);
    expectValid(next, 3630);
    expect(next.ca).not.toBe(first.ca);
    expect(warnings).toEqual([expect.stringContaining('certificate authority')]);
  });
});

describe('names', () => {
  const withNames = (names: readonly string[]) =>
    ownCertificates(dir, {host: HOST, names, admin: false}, {nowMs: START_MS, log});

  test('an address that the machine got since, or a name of --tls-names, has the same CA issue another certificate', async () => {
    const first = await at(0);
    expect(missingNames(first.cert, ['10.98.0.1', HOST])).toEqual(['10.98.0.1']);
    const names = ['10.98.0.1', 'palisade.example', '*.ids.example', 'fd00::98'];
    const {server} = await withNames(names);
    expect(server?.ca).toBe(first.ca);
    expect(missingNames(server?.cert ?? '', [...names, HOST, 'localhost'])).toEqual([]);
    expect((await withNames(names)).server).toEqual(server);
    expect((await withNames([])).server).toEqual(server);
    expect(warnings).toEqual([]);
  });

  test('without the key of the CA a further name creates no other CA, which would lock out every client', async () => {
    const first = await at(0);
    await rm(pki('ca.key'));
    expect((await withNames(['10.98.0.1'])).server).toEqual(first);
  });

  test('a listener on all addresses has the name and the addresses of the machine, any other one those of --tls-names only', () => {
    const of = (address: string) => ({
      address,
      netmask: '',
      mac: '',
      internal: false,
      cidr: null,
      family: 'IPv4' as const,
    });
    const interfaces = {lo: [of('127.0.0.1')], eth0: [of('10.98.0.1')]};
    const all = ['x.example', hostname(), '127.0.0.1', '10.98.0.1'];
    expect(namesOfListener('0.0.0.0', ['x.example'], interfaces)).toEqual(all);
    expect(namesOfListener('::', ['x.example'], interfaces)).toEqual(all);
    expect(namesOfListener('127.0.0.1', ['x.example'], interfaces)).toEqual(['x.example']);
  });
});

describe('files', () => {
  test('keys are for their owner only', async () => {
    await at(0);
    const modes = await Promise.all(['ca.key', 'server.key'].map(async name => (await stat(pki(name))).mode & 0o777));
    expect(modes).toEqual([0o600, 0o600]);
    expect((await readdir(join(dir, 'pki'))).sort()).toEqual(['ca.crt', 'ca.key', 'server.crt', 'server.key']);
  });

  test.each(['server.crt', 'server.key'])('a damaged or missing %s is made anew by the same CA', async name => {
    const first = await at(0);
    await truncate(pki(name), 20);
    const second = await at(0);
    expectValid(second, 0);
    await rm(pki(name));
    const third = await at(0);
    expectValid(third, 0);
    expect([second.ca, third.ca]).toEqual([first.ca, first.ca]);
  });

  test.each(['', 'no PEM'])('a damaged ca.crt (%j) is made anew with all below it, which is told', async damaged => {
    const first = await at(0);
    await writeFile(pki('ca.crt'), damaged);
    const second = await at(0);
    expectValid(second, 0);
    expect(second.ca).not.toBe(first.ca);
    expect(warnings).toEqual([expect.stringContaining('certificate authority')]);
  });

  test('without the key of the CA, as an older version left it, the certificate is good until its end; then a new CA is told', async () => {
    const first = await at(0);
    await rm(pki('ca.key'));
    expect(await at(300)).toEqual(first);
    const second = await at(340);
    expectValid(second, 340);
    expect(second.ca).not.toBe(first.ca);
    expect(warnings).toHaveLength(1);
  });

  test('a file is replaced in one step: who has the old one open reads it whole, and nothing is left beside it', async () => {
    const path = join(dir, 'file');
    await replaceFile(path, 'old text', 0o600);
    const reader = await open(path);
    await replaceFile(path, 'new', 0o600);
    expect(await reader.readFile('utf8')).toBe('old text');
    await reader.close();
    expect(await readFile(path, 'utf8')).toBe('new');
    await expect(replaceFile(dir, 'a folder is in the way', 0o600)).rejects.toThrow();
    expect(await readdir(dir)).toEqual(['file']);
  });
});

describe('a pair of the user', () => {
  test('outside of its time it is used at the start, and warned of; in place of another it is refused', async () => {
    const {cert} = await at(0);
    const files = {certFile: pki('server.crt'), keyFile: pki('server.key')};
    const {validFrom: notBefore, validTo: notAfter} = new X509Certificate(cert);
    const said: unknown[] = [];
    const startAt = async (nowMs: number): Promise<unknown[]> => {
      said.length = 0;
      const warn = (fields: object, message?: string): void => void said.push({...fields, message});
      expect((await givenAtStart(files, {nowMs, log: {warn}})).cert).toBe(cert);
      return [...said];
    };
    const wayOut = 'clients reject it; replace the files of --tls-cert and --tls-key, then send SIGHUP';
    const warning = (fault: string) => ({
      file: files.certFile,
      notBefore,
      notAfter,
      message: `certificate of --tls-cert ${fault}, ${wayOut}`,
    });
    const [first, last] = [Date.parse(notBefore), Date.parse(notAfter)];
    for (const nowMs of [first, last]) {
      expect(await startAt(nowMs)).toEqual([]);
      expect((await givenReplacement(files, nowMs)).cert).toBe(cert);
    }
    expect(await startAt(first - 1)).toEqual([warning('is not valid yet')]);
    await expect(givenReplacement(files, first - 1)).rejects.toThrow(
      `--tls-cert ${files.certFile}: is not valid yet: it is valid from`,
    );
    expect(await startAt(last + 1)).toEqual([warning('has expired')]);
    await expect(givenReplacement(files, last + 1)).rejects.toThrow(
      `has expired: it is valid from ${notBefore} to ${notAfter} only`,
    );
  });
});

describe('the process that issues', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('what NODE_OPTIONS loads may write to stdout and stderr', async () => {
    const noisy = join(dir, 'noisy.cjs');
    await writeFile(noisy, "console.log('hello'); console.error('hello');");
    vi.stubEnv('NODE_OPTIONS', `--require ${noisy}`);
    expectValid(await at(0), 0);
  });

  test('its end without a certificate is told with its last words', async () => {
    const broken = join(dir, 'broken.cjs');
    await writeFile(broken, "console.error('no entropy'); process.exit(3);");
    vi.stubEnv('NODE_OPTIONS', `--require ${broken}`);
    await expect(at(0)).rejects.toThrow('certificate could not be issued (exit 3): no entropy');
  });

  test('that it cannot be started is an error, and no more', async () => {
    vi.spyOn(process, 'execPath', 'get').mockReturnValue(join(dir, 'absent'));
    await expect(at(0)).rejects.toThrow('ENOENT');
    vi.restoreAllMocks();
  });
});
