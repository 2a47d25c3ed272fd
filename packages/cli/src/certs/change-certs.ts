// SPDX-License-Identifier: Apache-2.0
/** `palisade certs issue`, `rotate` and `revoke`. */
import {readFileSync} from 'node:fs';
import {type FileHandle, mkdir, rm} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {KubeconfigError, readKubeconfig} from '@palisade/client';
import {issueClient, type Pair, type Revocable, revokeAll, rotate} from '@palisade/server/change-certificates';
import {systemClock} from '@palisade/server/system';
import {readSeconds} from '../command-line/durations.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {openNewFile} from '../command-line/open-new-file.ts';
import {parseOptions} from '../command-line/options.ts';
import {readNamedFile} from '../connection/read-named-file.ts';
import {clientOf, folderOf, issueFlags, noteOf, revokeFlags, rotateFlags, termOf} from './certs-flags.ts';

/** A user name as a file name. */
const fileNameOf = (user: string): string => user.replace(/[^\w.@-]/g, '_').replace(/^\./, '_');

type Files = {readonly folder: string; readonly certFile: string; readonly keyFile: string};

const filesFor = (user: string, out: string, cwd: string): Files => {
  const folder = resolve(cwd, out);
  const of = (end: string): string => join(folder, `${fileNameOf(user)}.${end}`);
  return {folder, certFile: of('crt'), keyFile: of('key')};
};

/** Both files are opened before a certificate is made; neither is left behind where that fails. */
const issueInto = async ({folder, certFile, keyFile}: Files, cwd: string, make: () => Promise<Pair>): Promise<Pair> => {
  await mkdir(folder, {recursive: true, mode: 0o700});
  const opened: {readonly file: string; readonly handle: FileHandle}[] = [];
  try {
    for (const [file, mode] of [[keyFile, 0o600] as const, [certFile, 0o644] as const])
      opened.push({file, handle: await openNewFile(file, cwd, mode)});
    const pair = await make();
    for (const {file, handle} of opened) await handle.writeFile(`${file === keyFile ? pair.key : pair.cert}\n`);
    return pair;
  } catch (error) {
    for (const {file} of opened) await rm(file, {force: true});
    throw error;
  } finally {
    for (const {handle} of opened) await handle.close();
  }
};

export const runIssue = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json, out = '.', ...user} = parseOptions(words, issueFlags).options;
  const nowMs = systemClock.now();
  const client = clientOf(user, nowMs);
  const make = (): Promise<Pair> => issueClient(folderOf(data, io), client, nowMs);
  const files = out === '-' ? undefined : filesFor(client.commonName, out, io.cwd);
  const {cert, key} = files === undefined ? await make() : await issueInto(files, io.cwd, make);
  const {serial, notAfter} = termOf(cert);
  if (files === undefined) {
    io.stdout.write(json ? `${JSON.stringify({serial, notAfter, cert, key})}\n` : `${cert}\n${key}\n`);
    if (!json) io.stderr.write(noteOf(cert));
    return EXIT.ok;
  }
  const {certFile, keyFile} = files;
  io.stdout.write(
    json
      ? `${JSON.stringify({serial, notAfter, certFile, keyFile})}\n`
      : `${certFile}\n${keyFile}\nserial ${serial}, valid until ${notAfter}\n`,
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
  const {files, adminBefore, adminWasRevoked, overlapUntilMs} = await rotate(folderOf(data, io), {
    ca,
    overlapMs,
    nowMs: systemClock.now(),
  });
  const until = overlapUntilMs === undefined ? undefined : new Date(overlapUntilMs).toISOString();
  if (json) {
    io.stdout.write(
      `${JSON.stringify({files, previousAdminSerial: adminBefore, previousAdminRevoked: adminWasRevoked, previousCaUntil: until})}\n`,
    );
    return EXIT.ok;
  }
  io.stdout.write(files.map(file => `${file}\n`).join(''));
  if (until !== undefined) io.stdout.write(`the previous CA is valid until ${until}\n`);
  else if (ca) io.stdout.write('certificates of the previous CA are no longer valid\n');
  if (adminWasRevoked) io.stderr.write('palisade: the previous administrator certificate was revoked before\n');
  else if (adminBefore !== undefined && !(ca && until === undefined))
    io.stderr.write(
      `palisade: the previous administrator certificate stays valid; revoke it with palisade certs revoke ${adminBefore}\n`,
    );
  return EXIT.ok;
};

const SERIAL = /^(?:[0-9a-f]{2}:?)*[0-9a-f]{1,2}$/i;

/** The client certificate in a PEM file or a kubeconfig. Throws CommandError. */
const certificateIn = (text: string, said: string): string => {
  if (text.includes('-----BEGIN ') || !/^\s*(?:kind|users|clusters):|"users"/m.test(text)) return text;
  try {
    const {connection} = readKubeconfig([{path: said, text}], {readFile: path => readFileSync(path, 'utf8')});
    if (connection.tls?.cert !== undefined) return connection.tls.cert.toString();
  } catch (error) {
    throw error instanceof KubeconfigError ? new CommandError(`${said}: ${error.message}`, {cause: error}) : error;
  }
  throw new CommandError(`${said}: its current context has no client certificate; revoke its token instead`);
};

const revocableOf = async (word: string | undefined, user: string | undefined, cwd: string): Promise<Revocable> => {
  if ((word === undefined) === (user === undefined))
    throw new UsageError('give the serial number or the file of a certificate, or --user USER');
  if (user !== undefined) return {user};
  const name = word ?? '';
  if (SERIAL.test(name)) return {serial: name.replaceAll(':', '')};
  return {pem: certificateIn((await readNamedFile(name, cwd, name)).toString('utf8'), name), said: name};
};

export const runRevoke = async (words: readonly string[], io: CliIo): Promise<number> => {
  const reading = {max: 1, what: 'give one serial number or one file'};
  const {options, positionals} = parseOptions(words, revokeFlags, reading);
  const what = await revocableOf(positionals[0], options.user, io.cwd);
  for (const revocation of await revokeAll(folderOf(options.data, io), what, systemClock.now())) {
    const {serial, isNew, isKnown, isAdmin} = revocation;
    io.stdout.write(
      options.json
        ? `${JSON.stringify({serial, isNew, isKnown})}\n`
        : `${isNew ? 'revoked' : 'already revoked'} ${serial}${isKnown ? '' : ' (not known to be issued here)'}\n`,
    );
    if (isAdmin)
      io.stderr.write(
        'palisade: this is the certificate in the kubeconfig of the data folder; create another one with palisade certs rotate\n',
      );
  }
  return EXIT.ok;
};
