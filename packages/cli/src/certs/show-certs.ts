// SPDX-License-Identifier: Apache-2.0
/** `palisade certs show`. */
import {type CertificateFacts, certificateFacts} from '@palisade/server/certificate-facts';
import type {IssuedEntry} from '@palisade/server/issued-register';
import {systemClock} from '@palisade/server/system';
import {type CliIo, CommandError, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalText} from '../command-line/terminal-text.ts';
import {folderOf, showFlags} from './certs-flags.ts';

const TITLES: Readonly<Record<CertificateFacts['name'], string>> = {
  ca: 'CA',
  'previous-ca': 'Previous CA',
  server: 'Server',
  admin: 'Administrator',
};

const shown = (facts: CertificateFacts): string => {
  const lines = [
    ['Subject', facts.subject],
    ...(facts.names.length === 0 ? [] : [['Names', facts.names.join(', ')]]),
    ['Issuer', facts.issuer],
    ['Valid', `${facts.notBefore} to ${facts.notAfter} (${facts.daysLeft} days left)`],
    ...(facts.acceptedUntil === undefined ? [] : [['Accepted until', facts.acceptedUntil]]),
    ['SHA-256', facts.fingerprint],
    ['Serial', facts.serial],
    ['File', facts.file],
  ];
  const text = lines.map(([name = '', value]) => `  ${`${name}: `.padEnd(10)}${value}`).join('\n');
  return terminalText(`${TITLES[facts.name]}\n${text}\n`);
};

/** A client certificate that is still valid. */
const issuedLine = ({serial, user, groups, notAfter}: IssuedEntry): string =>
  terminalText(`  ${serial} ${user}${groups.length === 0 ? '' : ` (${groups.join(', ')})`}, valid until ${notAfter}\n`);

export const runShow = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, json} = parseOptions(words, showFlags).options;
  const dir = folderOf(data, io);
  const {found, faults, revoked, issued} = await certificateFacts(dir, systemClock.now());
  if (found.length + faults.length === 0)
    throw new CommandError(`no certificates in ${dir}; start the server with HTTPS once, or check --data`);
  for (const facts of found) io.stdout.write(json ? `${JSON.stringify(facts)}\n` : shown(facts));
  if (json) for (const entry of issued) io.stdout.write(`${JSON.stringify({name: 'issued', ...entry})}\n`);
  else if (issued.length > 0) io.stdout.write(`Issued\n${issued.map(issuedLine).join('')}`);
  const entries = revoked.map(({serial, atMs}) => ({name: 'revoked', serial, time: new Date(atMs).toISOString()}));
  if (json) for (const entry of entries) io.stdout.write(`${JSON.stringify(entry)}\n`);
  else if (entries.length > 0)
    io.stdout.write(`Revoked\n${entries.map(({serial, time}) => `  ${serial} (${time})\n`).join('')}`);
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
  return EXIT.ok;
};
