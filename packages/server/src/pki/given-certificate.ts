// SPDX-License-Identifier: Apache-2.0
/**
 * The pair of --tls-cert and --tls-key. TLS decides: a pair that it accepts is used. Only the text of a rejected pair is examined,
 * and every fault is reported with its flag, its file and the way out.
 */
import {createPrivateKey, type KeyObject, X509Certificate} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {createSecureContext} from 'node:tls';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {CommandError} from '../errors.ts';
import type {Logger} from '../process/logger.ts';
import type {ServerCertificate} from './certificates.ts';

export type CertificateFiles = {readonly certFile: string; readonly keyFile: string};

const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const END_CERTIFICATE = '-----END CERTIFICATE-----';
/** Lines of PEM, each alone on its line. Ref: OpenSSL 3 PEM_STRING_X509, PEM_STRING_X509_OLD, PEM_STRING_X509_TRUSTED. */
const BEGIN = /^\uFEFF?-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^\S\n]*$/m;
const END = /^-----END (?:X509 |TRUSTED )?CERTIFICATE-----/m;
/** A byte order mark, or a name of a certificate that OpenSSL knows and kubectl does not. */
const NOT_PLAIN = /^\uFEFF|^-----BEGIN (?:X509|TRUSTED) CERTIFICATE-----/m;
const KEY = /^\uFEFF?-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/m;
const ENCRYPTED_KEY = /^\uFEFF?-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** What OpenSSL refuses in a pair that fits. Ref: OpenSSL 3 ssl_security_cert, reasons of SSL_R_*. */
const WHY_REFUSED: Readonly<Record<string, string>> = {
  ERR_SSL_EE_KEY_TOO_SMALL:
    'its key is too short for TLS: create a new pair, with an RSA key of 2048 bits or more, or P-256',
  ERR_SSL_CA_KEY_TOO_SMALL: 'a CA key in its chain is too short for TLS: get a chain from another CA',
  ERR_SSL_CA_MD_TOO_WEAK: 'its signature uses a digest that is too weak for TLS: have it reissued with SHA-256',
};

/** Undefined: it does not go. */
const tried = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

/** `rest`: what comes after the first line of a certificate. */
const certificateOf = (rest: string): X509Certificate | undefined => {
  const end = rest.search(END);
  return end < 0
    ? undefined
    : tried(() => new X509Certificate(`${BEGIN_CERTIFICATE}${rest.slice(0, end)}${END_CERTIFICATE}`));
};

/** The certificates of a chain in their order, or why they cannot be used. */
const chainIn = (text: string): readonly X509Certificate[] | string => {
  const chain = text.split(BEGIN).slice(1).map(certificateOf);
  if (chain.length === 0) {
    const missing = `contains ${KEY.test(text) ? 'a private key, but ' : ''}no certificate in PEM form`;
    return `${missing} (${BEGIN_CERTIFICATE})`;
  }
  const at = chain.indexOf(undefined);
  if (at < 0) return chain.filter(certificate => certificate !== undefined);
  return `its certificate${chain.length === 1 ? '' : ` number ${at + 1}`} is damaged: replace the file`;
};

const keyIn = (text: string, file: string): KeyObject | string => {
  if (!KEY.test(text)) {
    const missing = `contains ${BEGIN.test(text) ? 'a certificate, but ' : ''}no private key in PEM form`;
    return `${missing} (-----BEGIN PRIVATE KEY-----)`;
  }
  if (ENCRYPTED_KEY.test(text))
    return `its private key is encrypted: remove the passphrase with openssl pkey -in ${file} -out NEW`;
  return tried(() => createPrivateKey(text)) ?? 'its private key is damaged: replace the file';
};

/** What a file holds; `fault`: why it cannot be read. */
type Found = {readonly text: string; readonly fault?: undefined} | {readonly fault: string};

const found = async (path: string): Promise<Found> => {
  try {
    return {text: await readFile(path, 'utf8')};
  } catch (error) {
    return {fault: `cannot be read: ${whyUnreadable(error)}`};
  }
};

const misfit = (chain: readonly X509Certificate[], key: KeyObject, certFile: string): string | undefined => {
  const at = chain.findIndex(certificate => certificate.checkPrivateKey(key));
  if (at === 0) return undefined;
  return at > 0
    ? `is the key of certificate number ${at + 1} in ${certFile}: put that certificate first`
    : `is not the key of the certificate in ${certFile}: use a matching pair`;
};

/** Undefined: TLS takes the pair. A context looks at neither an empty text nor, for a certificate with another kind of key, whether they fit. */
const refusal = ({cert, key}: {readonly cert: string; readonly key: string}): string | undefined => {
  if (cert === '' || key === '') return 'it is empty';
  try {
    createSecureContext({cert, key});
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? undefined : 'it does not match its key';
  } catch (error) {
    const {code = '', reason, message} = error as NodeJS.ErrnoException & {reason?: string};
    return WHY_REFUSED[code] ?? `TLS rejects it (${reason ?? message}): have it reissued`;
  }
};

/** What clients may trust: the chain itself, in a form that kubectl reads too. */
const trustIn = (cert: string): string => {
  const chain = NOT_PLAIN.test(cert) ? chainIn(cert) : cert;
  return typeof chain === 'string' ? cert : chain.map(String).join('');
};

type Refused = {readonly cert: Found; readonly key: Found; readonly refused: string};

/** A line for each fault. */
const faultsOf = ({cert, key, refused}: Refused, {certFile, keyFile}: CertificateFiles): string[] => {
  const chain = cert.fault ?? chainIn(cert.text);
  const secret = key.fault ?? keyIn(key.text, keyFile);
  const [ofCert, ofKey] = [`--tls-cert ${certFile}: `, `--tls-key ${keyFile}: `];
  if (typeof chain === 'string' || typeof secret === 'string')
    return [typeof chain === 'string' ? ofCert + chain : [], typeof secret === 'string' ? ofKey + secret : []].flat();
  const unfit = misfit(chain, secret, certFile);
  return [unfit === undefined ? ofCert + refused : ofKey + unfit];
};

/** Throws CommandError, a line for each fault, for a pair that TLS cannot use. */
export function usablePair(cert: Found, key: Found, files: CertificateFiles): ServerCertificate {
  let refused = '';
  if (cert.fault === undefined && key.fault === undefined) {
    const pair = {cert: cert.text, key: key.text};
    const why = refusal(pair);
    if (why === undefined) return {...pair, ca: trustIn(pair.cert)};
    refused = why;
  }
  throw new CommandError(faultsOf({cert, key, refused}, files).join('\n'));
}

/** The files of --tls-cert and --tls-key. Throws CommandError as `usablePair`. */
export async function givenCertificate(files: CertificateFiles): Promise<ServerCertificate> {
  const [cert, key] = await Promise.all([found(files.certFile), found(files.keyFile)]);
  return usablePair(cert, key, files);
}

/** What is wrong with its time; `notBefore` and `notAfter` as the certificate has them. Undefined: nothing is. */
const outOfTime = ({cert}: ServerCertificate, nowMs: number) => {
  const {validFrom: notBefore, validTo: notAfter} = new X509Certificate(cert);
  if (nowMs < Date.parse(notBefore)) return {fault: 'is not valid yet', notBefore, notAfter};
  return nowMs > Date.parse(notAfter) ? {fault: 'has expired', notBefore, notAfter} : undefined;
};

/** The same for the start, as kube-apiserver does: a pair outside of its time is used, and warned of. */
export async function givenAtStart(
  files: CertificateFiles,
  {nowMs, log}: {readonly nowMs: number; readonly log: Pick<Logger, 'warn'>},
): Promise<ServerCertificate> {
  const found = await givenCertificate(files);
  const {fault, ...times} = outOfTime(found, nowMs) ?? {};
  if (fault !== undefined)
    log.warn(
      {file: files.certFile, ...times},
      `certificate of --tls-cert ${fault}, clients reject it; replace the files of --tls-cert and --tls-key, then send SIGHUP`,
    );
  return found;
}

/** The same for a pair that is to replace the one in use: throws CommandError also outside of its time. */
export async function givenReplacement(files: CertificateFiles, nowMs: number): Promise<ServerCertificate> {
  const found = await givenCertificate(files);
  const times = outOfTime(found, nowMs);
  if (times !== undefined)
    throw new CommandError(
      `--tls-cert ${files.certFile}: ${times.fault}: it is valid from ${times.notBefore} to ${times.notAfter} only`,
    );
  return found;
}
