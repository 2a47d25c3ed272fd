// SPDX-License-Identifier: Apache-2.0
/** `palisade certs issue`, `rotate` and `revoke`. */
import {X509Certificate} from 'node:crypto';
import {mkdir} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {whyUnwritable} from '@palisade/engine/file-faults';
import {issueClient, revoke, rotate} from '@palisade/server/change-certificates';
import {replaceFile} from '@palisade/server/replace-file';
import {systemClock} from '@palisade/server/system';
import {readSeconds} from '../command-line/durations.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {readNamedFile} from '../connection/read-named-file.ts';
import {clientOf, folderOf, issueFlags, revokeFlags, rotateFlags} from './certs-flags.ts';

/** A user name as a file name. */
const fileNameOf = (user: string): string => user.replace(/[^\w.@-]/g, '_').replace(/^\./, '_');

const write = async (path: string, text: string, mode: number): Promise<void> => {
  try {
    await replaceFile(path, text, mode);
  } catch (error) {
    throw new CommandError(`--out: ${path} cannot be written: ${whyUnwritable(error)}; choose another folder`, {
      cause: error,
    });
  }
};

export const runIssue = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json, out = '.', ...user} = parseOptions(words, issueFlags).options;
  const nowMs = systemClock.now();
  const client = clientOf(user, nowMs);
  const {cert, key} = await issueClient(folderOf(data, io), client, nowMs);
  const {serialNumber, validTo} = new X509Certificate(cert);
  const notAfter = new Date(validTo).toISOString();
  if (out === '-') {
    io.stdout.write(json ? `${JSON.stringify({serial: serialNumber, notAfter, cert, key})}\n` : `${cert}\n${key}\n`);
    return EXIT.ok;
  }
  const folder = resolve(io.cwd, out);
  await mkdir(folder, {recursive: true, mode: 0o700});
  const [certFile, keyFile] = ['crt', 'key'].map(end => join(folder, `${fileNameOf(client.commonName)}.${end}`));
  await write(keyFile ?? '', `${key}\n`, 0o600);
  await write(certFile ?? '', `${cert}\n`, 0o644);
  io.stdout.write(
    json
      ? `${JSON.stringify({serial: serialNumber, notAfter, certFile, keyFile})}\n`
      : `${certFile}\n${keyFile}\nserial ${serialNumber}, valid until ${notAfter}\n`,
  );
  return EXIT.ok;
};

const OVERLAP = {least: 0, most: 3650 * 86_400};

export const runRotate = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json, ca, overlap} = parseOptions(words, rotateFlags).options;
  const faults: string[] = [];
  if (overlap !== undefined && !ca) faults.push('--overlap is for --ca: use both, or leave it out');
  const overlapMs = readSeconds('overlap', overlap ?? '30d', OVERLAP, faults) * 1000;
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  const {files, adminBefore, overlapUntilMs} = await rotate(folderOf(data, io), {
    ca,
    overlapMs,
    nowMs: systemClock.now(),
  });
  const until = overlapUntilMs === undefined ? undefined : new Date(overlapUntilMs).toISOString();
  if (json) {
    io.stdout.write(`${JSON.stringify({files, previousAdminSerial: adminBefore, previousCaUntil: until})}\n`);
    return EXIT.ok;
  }
  io.stdout.write(files.map(file => `${file}\n`).join(''));
  if (until !== undefined) io.stdout.write(`the previous CA is valid until ${until}\n`);
  else if (ca) io.stdout.write('certificates of the previous CA are no longer valid\n');
  if (adminBefore !== undefined && !(ca && until === undefined))
    io.stderr.write(
      `palisade: the previous administrator certificate stays valid; revoke it with palisade certs revoke ${adminBefore}\n`,
    );
  return EXIT.ok;
};

const SERIAL = /^(?:[0-9a-f]{2}:?)*[0-9a-f]{1,2}$/i;

export const runRevoke = async (words: readonly string[], io: CliIo): Promise<number> => {
  const reading = {max: 1, what: 'give one serial number or one file'};
  const {options, positionals} = parseOptions(words, revokeFlags, reading);
  const [word] = positionals;
  if (word === undefined) throw new UsageError('give the serial number or the file of a certificate');
  const what = SERIAL.test(word)
    ? {serial: word.replaceAll(':', '')}
    : {pem: (await readNamedFile(word, io.cwd, word)).toString('utf8'), said: word};
  const {serial, isNew} = await revoke(folderOf(options.data, io), what, systemClock.now());
  io.stdout.write(
    options.json ? `${JSON.stringify({serial, isNew})}\n` : `${isNew ? 'revoked' : 'already revoked'} ${serial}\n`,
  );
  return EXIT.ok;
};
