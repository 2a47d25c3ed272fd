// SPDX-License-Identifier: Apache-2.0
/**
 * Which client certificates count now: those of a CA that is trusted, before their end, and on no revocation list. The lists are read
 * again when their files change; one that cannot be used leaves the previous one in force.
 */
import {type KeyObject, X509Certificate} from 'node:crypto';
import {type Authenticator, type ClientCertificate, certificateAuthenticator, type Timers} from '@palisade/apiserver';
import type {ServeConfig} from '../parts/config.ts';
import type {Logger} from '../process/logger.ts';
import {ABSENT, type FileVersion, versionOf, WatchedFile} from '../process/watch-file.ts';
import {type ClientAuthority, pathIn, readTexts} from './certificates.ts';
import {readClientAuthorities, readRevocationLists} from './client-files.ts';
import type {RevocationList} from './revocation-lists.ts';
import {serialNumberOf} from './serial-number.ts';

type ClientCertificateParts = {
  readonly dataDir: string;
  readonly caFile: string | undefined;
  readonly crlFile: string | undefined;
  readonly compat: ServeConfig['compat'];
  readonly clock: {now(): number};
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
};

/** A file of revocation lists, the CAs that may sign them, and what it said when it was last good. */
type ListFile = {
  readonly said: string;
  readonly path: string;
  /** Its absence at the start is no fault. */
  readonly mayBeAbsent: boolean;
  readonly authorities: () => Promise<readonly string[]>;
  lists: readonly RevocationList[] | undefined;
};

const serialsOf = ({revoked}: RevocationList): string[] => revoked.map(({serial}) => serial);

const fingerprintOf = (der: Buffer | string): string => new X509Certificate(der).fingerprint256;

/** What one CA has revoked. It is known by its key: it may have several certificates, and a client chooses which one it shows. */
type RevokedBy = {readonly key: KeyObject; readonly serials: Set<string>};

/** A certificate of a chain, as far as requests ask for it. */
type Link = {readonly certificate: X509Certificate; readonly fingerprint: string; readonly serial: string};

const hasSigned = (issuer: X509Certificate, certificate: X509Certificate): boolean => {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    return false; // a key of a kind that nobody can use
  }
};

/**
 * The certificates that a client showed, up to the first that did not sign the one before: a client may add any, and only names and
 * not signatures decided which of them came next.
 */
const linksOf = ({chain}: ClientCertificate): readonly Link[] => {
  const links: Link[] = [];
  for (const der of chain) {
    const certificate = new X509Certificate(der);
    const before = links.at(-1)?.certificate;
    if (before !== undefined && !hasSigned(certificate, before)) break;
    links.push({
      certificate,
      fingerprint: certificate.fingerprint256,
      serial: serialNumberOf(certificate.serialNumber),
    });
  }
  return links;
};

export class ClientCertificates {
  readonly authenticator: Authenticator;
  readonly #parts: ClientCertificateParts;
  readonly #files: readonly ListFile[];
  /** End of trust by the fingerprint of a CA. */
  #authorities: ReadonlyMap<string, number> = new Map();
  #revoked: readonly RevokedBy[] = [];
  /** Not made again for each request. */
  readonly #links = new WeakMap<ClientCertificate, readonly Link[]>();
  readonly #watched: WatchedFile[] = [];

  constructor(parts: ClientCertificateParts) {
    this.#parts = parts;
    this.authenticator = certificateAuthenticator(certificate => this.#faultOf(certificate), parts.compat);
    const {dataDir, caFile, crlFile} = parts;
    const own: ListFile = {
      said: pathIn(dataDir, 'revoked'),
      path: pathIn(dataDir, 'revoked'),
      mayBeAbsent: true,
      authorities: async () => {
        const {caCert, previousCert} = await readTexts(dataDir);
        return [caCert, previousCert].filter(pem => pem !== undefined);
      },
      lists: undefined,
    };
    const ofUser: ListFile[] =
      caFile === undefined || crlFile === undefined
        ? []
        : [
            {
              said: `--client-crl-file ${crlFile}`,
              path: crlFile,
              mayBeAbsent: false,
              authorities: async () => (await readClientAuthorities(caFile)).map(({pem}) => pem),
              lists: undefined,
            },
          ];
    this.#files = [own, ...ofUser];
  }

  /** From now on these CAs count. */
  trust(authorities: readonly ClientAuthority[]): void {
    this.#authorities = new Map(authorities.map(({pem, untilMs}) => [fingerprintOf(pem), untilMs]));
  }

  /** Reads the lists, and again when a file of theirs changes. Throws CommandError for one that cannot be used. */
  async start(): Promise<void> {
    const {timers, log} = this.#parts;
    for (const file of this.#files) {
      const {path} = file;
      const version = await versionOf(path);
      if (!(file.mayBeAbsent && version === ABSENT)) await this.#read(file);
      const changed = (now: FileVersion): Promise<void> => this.#readAgain(file, now);
      this.#watched.push(new WatchedFile({path, version, changed, timers, log}));
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watched.map(watched => watched.stop()));
  }

  async #readAgain(file: ListFile, version: FileVersion): Promise<void> {
    if (file.lists === undefined && version === ABSENT) return;
    const {log} = this.#parts;
    const before = new Set(file.lists?.flatMap(serialsOf));
    try {
      await this.#read(file);
      const serials = [...new Set(file.lists?.flatMap(serialsOf))];
      const added = serials.filter(serial => !before.has(serial));
      log.info({file: file.path, revoked: serials.length, added}, 'revocation list read');
    } catch (error) {
      log.error({err: error, file: file.path}, 'revocation list unusable, the previous one stays in force');
    }
  }

  async #read(file: ListFile): Promise<void> {
    file.lists = await readRevocationLists(file.said, file.path, await file.authorities());
    const lists = this.#files.flatMap(({lists}) => lists ?? []);
    for (const {nextUpdateMs} of file.lists)
      if (nextUpdateMs !== undefined && nextUpdateMs < this.#parts.clock.now())
        this.#parts.log.warn({file: file.path}, 'revocation list is out of date, it stays in force; replace the file');
    const revoked: RevokedBy[] = [];
    for (const list of lists) {
      const key = new X509Certificate(list.authority).publicKey;
      let by = revoked.find(each => each.key.equals(key));
      if (by === undefined) {
        by = {key, serials: new Set()};
        revoked.push(by);
      }
      for (const {serial} of list.revoked) by.serials.add(serial);
    }
    this.#revoked = revoked;
  }

  /** A revoked certificate anywhere in the chain ends it. */
  #faultOf(certificate: ClientCertificate): string | undefined {
    const now = this.#parts.clock.now();
    if (now > certificate.notAfterMs) return 'it has expired';
    let links = this.#links.get(certificate);
    if (links === undefined) {
      links = linksOf(certificate);
      this.#links.set(certificate, links);
    }
    if (!links.some(({fingerprint}) => now <= (this.#authorities.get(fingerprint) ?? 0)))
      return 'its CA is not trusted';
    return links.some(link => this.#isRevoked(link)) ? 'it is revoked' : undefined;
  }

  #isRevoked({serial, certificate}: Link): boolean {
    return this.#revoked.some(({key, serials}) => serials.has(serial) && certificate.verify(key));
  }
}
