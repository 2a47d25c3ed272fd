// SPDX-License-Identifier: Apache-2.0
/**
 * Which client certificates count now: those of a CA that is trusted, before their end, and on no revocation list. The lists are read
 * again when their files change; one that cannot be used leaves the previous one in force.
 */
import {X509Certificate} from 'node:crypto';
import {type Authenticator, type ClientCertificate, certificateAuthenticator, type Timers} from '@palisade/apiserver';
import type {ServeConfig} from '../parts/config.ts';
import type {Logger} from '../process/logger.ts';
import {ABSENT, type FileVersion, versionOf, WatchedFile} from '../process/watch-file.ts';
import {type ClientAuthority, pathIn, readTexts} from './certificates.ts';
import {readClientAuthorities, readRevocationLists} from './client-files.ts';
import type {RevocationList} from './issue-certificates.ts';
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

const keyOf = (der: Buffer | string): string => new X509Certificate(der).fingerprint256;

export class ClientCertificates {
  readonly authenticator: Authenticator;
  readonly #parts: ClientCertificateParts;
  readonly #files: readonly ListFile[];
  /** End of trust by the fingerprint of a CA. */
  #authorities: ReadonlyMap<string, number> = new Map();
  /** Serial numbers by the fingerprint of the CA that issued them. */
  #revoked: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  /** Fingerprints of the certificates of a chain: not made again for each request. */
  readonly #chains = new WeakMap<ClientCertificate, readonly string[]>();
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
    this.#authorities = new Map(authorities.map(({pem, untilMs}) => [keyOf(pem), untilMs]));
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
    try {
      await this.#read(file);
      log.info({file: file.path, revoked: file.lists?.flatMap(l => l.revoked).length}, 'revocation list read');
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
    const revoked = new Map<string, Set<string>>();
    for (const list of lists) {
      const issuer = keyOf(list.authority);
      const serials = revoked.get(issuer) ?? new Set();
      for (const {serial} of list.revoked) serials.add(serial);
      revoked.set(issuer, serials);
    }
    this.#revoked = revoked;
  }

  /** A revoked certificate anywhere in the chain ends it. */
  #faultOf(certificate: ClientCertificate): string | undefined {
    const now = this.#parts.clock.now();
    if (now > certificate.notAfterMs) return 'it has expired';
    let chain = this.#chains.get(certificate);
    if (chain === undefined) {
      chain = certificate.chain.map(keyOf);
      this.#chains.set(certificate, chain);
    }
    if (!chain.some(key => now <= (this.#authorities.get(key) ?? 0))) return 'its CA is not trusted';
    if (this.#revoked.size === 0) return undefined;
    const isRevoked = certificate.chain.some((der, at) => {
      const serials = this.#revoked.get(chain[at + 1] ?? '');
      return serials?.has(serialNumberOf(at === 0 ? certificate.serialNumber : new X509Certificate(der).serialNumber));
    });
    return isRevoked ? 'it is revoked' : undefined;
  }
}
