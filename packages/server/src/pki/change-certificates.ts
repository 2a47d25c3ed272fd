// SPDX-License-Identifier: Apache-2.0
/**
 * What `palisade certs` changes in a data folder, whether a server runs on it or not. A running one reads the files again when the
 * last of them is written. Everything here throws CommandError for what the user can mend.
 */
import {X509Certificate} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {hasCode} from '@palisade/store';
import {CommandError} from '../errors.ts';
import {replaceFile} from '../process/replace-file.ts';
import {namesOf, revokedIn} from './certificate-facts.ts';
import {
  endOf,
  missingNames,
  namesOfMachine,
  overlapOf,
  pathIn,
  readTexts,
  type Texts,
  writeIssued,
} from './certificates.ts';
import type {ClientWish, Issued, Pair} from './issue-certificates.ts';
import {readIssued, recordIssued} from './issued-register.ts';
import {issue} from './issuer.ts';
import {ADMIN, type FileName, PUBLIC_MODE, SECRET_MODE} from './own-files.ts';
import type {Revoked} from './revocation-lists.ts';
import {serialNumberOf} from './serial-number.ts';

export type {Pair} from './issue-certificates.ts';

const ADMIN_MS = 365 * 86_400_000;

const START_FIRST = 'start the server once, or check --data';

/** One command at a time: each reads what it then replaces. */
const alone = async <T>(dir: string, work: (texts: Texts) => Promise<T>): Promise<T> => {
  const {caCert} = await readTexts(dir);
  if (caCert === undefined) throw new CommandError(`no certificate authority in ${dir}; ${START_FIRST}`);
  const {takeLock} = await import('@palisade/store/sqlite');
  const file = pathIn(dir, 'changed');
  let lock: ReturnType<typeof takeLock>;
  try {
    lock = takeLock(file);
  } catch (error) {
    const why = hasCode(error, 'locked') ? 'another command is changing the certificates' : (error as Error).message;
    throw new CommandError(`${file}-lock cannot be locked: ${why}; try again`, {cause: error});
  }
  try {
    return await work(await readTexts(dir));
  } finally {
    lock.release();
  }
};

const authorityOf = (dir: string, {caCert, caKey}: Texts): Pair => {
  if (caCert !== undefined && caKey !== undefined) return {cert: caCert, key: caKey};
  throw new CommandError(
    `${pathIn(dir, 'caKey')} is missing, nothing can be signed; create another CA with palisade certs rotate --ca`,
  );
};

const announceChange = (dir: string, nowMs: number): Promise<void> =>
  replaceFile(pathIn(dir, 'changed'), `${new Date(nowMs).toISOString()}\n`, PUBLIC_MODE);

/** A new client certificate of our CA, which is in the register. */
export const issueClient = async (
  dir: string,
  client: ClientWish,
  nowMs: number,
): Promise<Pair & {readonly ca: string}> => {
  const texts = await readTexts(dir);
  if (texts.caCert === undefined) throw new CommandError(`no certificate authority in ${dir}; ${START_FIRST}`);
  const ca = authorityOf(dir, texts);
  const {client: made} = await issue({nowMs, ca, client});
  if (made === undefined) throw new Error('no client certificate was made');
  const issued = {...made, ca: ca.cert};
  await recordIssued(dir, issued, client, nowMs);
  return issued;
};

const isSigned = (by: string | undefined, certificate: X509Certificate): boolean => {
  if (by === undefined) return false;
  const issuer = new X509Certificate(by);
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
};

const CLIENT_USE = '1.3.6.1.5.5.7.3.2'; // Ref: RFC 5280 §4.2.1.12, id-kp-clientAuth

/** What is no certificate of a client is replaced, and not revoked. */
const NOT_OF_CLIENT = {
  authority: 'is the certificate of a CA, not of a client; replace the CA with palisade certs rotate --ca',
  server: 'is the certificate of a server, not of a client; replace it with palisade certs rotate',
} as const;

/** The serial number of a client certificate of ours. */
const serialIn = (pem: string, said: string, {caCert, previousCert}: Texts): string => {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch (error) {
    throw new CommandError(`${said}: contains no certificate; give a PEM file, a kubeconfig or a serial number`, {
      cause: error,
    });
  }
  if (!isSigned(caCert, certificate) && !isSigned(previousCert, certificate))
    throw new CommandError(`${said}: is not of the CA of this data folder; a CA revokes its own certificates only`);
  if (certificate.ca) throw new CommandError(`${said}: ${NOT_OF_CLIENT.authority}`);
  if (!certificate.keyUsage?.includes(CLIENT_USE)) throw new CommandError(`${said}: ${NOT_OF_CLIENT.server}`);
  return certificate.serialNumber;
};

/** The same for a number. */
const checkedSerial = (said: string, {caCert, previousCert, cert}: Texts): string => {
  const serial = serialNumberOf(said);
  const isOf = (pem: string | undefined): boolean => serialNumberOf(serialOf(pem) ?? '0') === serial;
  if (isOf(caCert) || isOf(previousCert)) throw new CommandError(`${said}: ${NOT_OF_CLIENT.authority}`);
  if (isOf(cert)) throw new CommandError(`${said}: ${NOT_OF_CLIENT.server}`);
  return serial;
};

const listOf = async (ca: Pair, revoked: readonly Revoked[], nowMs: number): Promise<string> =>
  (await issue({nowMs, ca, revoked})).crl ?? '';

/** The lists of the CA and, during their overlap, of the one before it: whose certificate a number is of is not known. */
const writeLists = async (dir: string, texts: Texts, revoked: readonly Revoked[], nowMs: number): Promise<void> => {
  const lists = [await listOf(authorityOf(dir, texts), revoked, nowMs)];
  const {previousCert, previousKey} = texts;
  if (overlapOf(texts, nowMs) !== undefined && previousCert !== undefined && previousKey !== undefined)
    lists.push(await listOf({cert: previousCert, key: previousKey}, revoked, nowMs));
  await replaceFile(pathIn(dir, 'revoked'), lists.join('\n'), PUBLIC_MODE);
};

/** By serial number, by the certificate itself (PEM, named `said`), or all valid ones of a user. */
export type Revocable =
  | {readonly serial: string}
  | {readonly pem: string; readonly said: string}
  | {readonly user: string};

export type Revocation = {
  readonly serial: string;
  /** It was not revoked before. */
  readonly isNew: boolean;
  /** It is known to be issued here. */
  readonly isKnown: boolean;
  /** The administrator's, which the kubeconfig of the data folder has. */
  readonly isAdmin: boolean;
};

const serialsOf = async (dir: string, what: Revocable, texts: Texts, nowMs: number): Promise<readonly string[]> => {
  if ('pem' in what) return [serialNumberOf(serialIn(what.pem, what.said, texts))];
  if ('serial' in what) return [checkedSerial(what.serial, texts)];
  const valid = (await readIssued(dir)).filter(e => e.user === what.user && nowMs <= Date.parse(e.notAfter));
  if (valid.length > 0) return valid.map(({serial}) => serial);
  throw new CommandError(
    `--user ${what.user}: no valid certificate of this user is in ${pathIn(dir, 'issued')}; see palisade certs show`,
  );
};

export const revokeAll = (dir: string, what: Revocable, nowMs: number): Promise<readonly Revocation[]> =>
  alone(dir, async texts => {
    const serials = await serialsOf(dir, what, texts, nowMs);
    const before = await revokedIn(dir, texts);
    const fresh = serials.filter(serial => !before.some(entry => entry.serial === serial));
    if (fresh.length > 0)
      await writeLists(dir, texts, [...before, ...fresh.map(serial => ({serial, atMs: nowMs}))], nowMs);
    const known = new Set((await readIssued(dir)).map(({serial}) => serial));
    const admin = serialNumberOf(serialOf(texts.adminCert) ?? '0');
    return serials.map(serial => ({
      serial,
      isNew: fresh.includes(serial),
      isKnown: 'pem' in what || serial === admin || known.has(serial),
      isAdmin: serial === admin,
    }));
  });

/** Of one certificate. */
export const revoke = async (
  dir: string,
  what: Exclude<Revocable, {readonly user: string}>,
  nowMs: number,
): Promise<Revocation> => {
  const [only] = await revokeAll(dir, what, nowMs);
  if (only === undefined) throw new Error('no certificate was revoked');
  return only;
};

export type Rotation = {
  /** The CA too. */
  readonly ca: boolean;
  /** How long the CA before it stays valid; 0: not at all. */
  readonly overlapMs: number;
  readonly nowMs: number;
};
export type Rotated = {
  /** Serial numbers of the certificates that were replaced: those of clients stay valid. */
  readonly adminBefore: string | undefined;
  /** That one was revoked before. */
  readonly adminWasRevoked: boolean;
  readonly files: readonly string[];
  /** End of the overlap. */
  readonly overlapUntilMs: number | undefined;
};

const removeFiles = (dir: string, names: readonly FileName[]): Promise<unknown> =>
  Promise.all(names.map(name => rm(pathIn(dir, name), {force: true})));

/** Names of the server certificate of our CA, and names that this machine has got since; undefined: the folder has no such certificate, as with --tls-cert. */
const serverWish = ({cert}: Texts) => {
  try {
    return cert === undefined
      ? undefined
      : {names: [...namesOf(new X509Certificate(cert)), ...missingNames(cert, [...new Set(namesOfMachine())])]};
  } catch {
    return undefined; // a damaged one: the server creates it again
  }
};

const rotateAuthority = async (
  dir: string,
  texts: Texts,
  {overlapMs, nowMs}: Rotation,
): Promise<number | undefined> => {
  const pending = overlapOf(texts, nowMs);
  if (pending !== undefined && overlapMs > 0)
    throw new CommandError(
      `the CA before the present one is valid until ${new Date(pending.untilMs).toISOString()}; rotate again after that, or end both now with palisade certs rotate --ca --overlap 0s`,
    );
  const {caCert, caKey} = texts;
  const before = caCert !== undefined && caKey !== undefined && overlapMs > 0 ? {cert: caCert, key: caKey} : undefined;
  const notAfterMs = nowMs + overlapMs;
  const revoked = before === undefined ? [] : await revokedIn(dir, texts);
  const made = await issue({
    nowMs,
    ca: undefined,
    caName: `palisade-ca-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')}`,
    cross: before && {by: before, notAfterMs},
    server: serverWish(texts),
    client: {...ADMIN, notAfterMs: nowMs + ADMIN_MS},
    revoked,
  });
  await writePrevious(dir, made, before);
  await writeIssued(dir, made, true);
  const lists = [made.crl ?? '', ...(before === undefined ? [] : [await listOf(before, revoked, nowMs)])];
  await replaceFile(pathIn(dir, 'revoked'), lists.join('\n'), PUBLIC_MODE);
  return made.cross === undefined ? undefined : endOf(made.cross);
};

const writePrevious = async (dir: string, {cross}: Issued, before: Pair | undefined): Promise<void> => {
  if (before === undefined || cross === undefined) {
    await removeFiles(dir, ['cross', 'previousCert', 'previousKey']);
    return;
  }
  await replaceFile(pathIn(dir, 'previousKey'), before.key, SECRET_MODE);
  await replaceFile(pathIn(dir, 'previousCert'), before.cert, PUBLIC_MODE);
  await replaceFile(pathIn(dir, 'cross'), cross, PUBLIC_MODE);
};

const serialOf = (pem: string | undefined): string | undefined => {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem).serialNumber;
  } catch {
    return undefined;
  }
};

/** New server and administrator certificates, of the CA or of another one. */
export const rotate = (dir: string, rotation: Rotation): Promise<Rotated> =>
  alone(dir, async texts => {
    const {ca, nowMs} = rotation;
    const adminBefore = serialOf(texts.adminCert);
    const adminSerial = serialNumberOf(adminBefore ?? '0');
    const adminWasRevoked = (await revokedIn(dir, texts)).some(({serial}) => serial === adminSerial);
    let overlapUntilMs: number | undefined;
    if (ca) overlapUntilMs = await rotateAuthority(dir, texts, rotation);
    else {
      const client = {...ADMIN, notAfterMs: nowMs + ADMIN_MS};
      const made = await issue({nowMs, ca: authorityOf(dir, texts), server: serverWish(texts), client});
      await writeIssued(dir, made, false);
    }
    await announceChange(dir, nowMs);
    const names: FileName[] = [
      ...(ca ? (['caCert'] as const) : []),
      ...(texts.cert === undefined ? [] : (['cert'] as const)),
      'adminCert',
    ];
    return {adminBefore, adminWasRevoked, files: names.map(name => pathIn(dir, name)), overlapUntilMs};
  });
