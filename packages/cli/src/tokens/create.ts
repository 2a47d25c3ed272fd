// SPDX-License-Identifier: Apache-2.0
/** `palisade token create`: the token alone on stdout, once. */
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import {readSeconds, type SecondsRange} from '../command-line/durations.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {type Parsed, parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {ACCESS_TOKENS, type AccessToken, tokenRow} from './objects.ts';
import {createFlags} from './token-flags.ts';

const NEVER = 'never';
const DAY = 86_400;
const TTL: SecondsRange = {least: 1, most: 3_650 * DAY};
const PREFIX_CHARS_MAX = 40;

/** What a generated name begins with: the user, as far as a name can have it. */
const prefixFor = (user: string): string => {
  const slug = user
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, PREFIX_CHARS_MAX)
    .replace(/^-+|-+$/g, '');
  return `${slug === '' ? 'token' : slug}-`;
};

const readSpec = (flags: Parsed<typeof createFlags>): AccessToken => {
  const {for: user, group: groups, uid, description, name, ttl} = flags;
  const faults = user === undefined ? ['--for USER is required: name the user of the token'] : [];
  const ttlSeconds = ttl === NEVER ? undefined : readSeconds('ttl', ttl, TTL, faults);
  for (const fault of name === undefined ? [] : nameIsDnsSubdomain(name, false))
    faults.push(`--name ${name}: ${fault}`);
  if (user === undefined || faults.length > 0) throw new UsageError(faults.join('\n'));
  return {
    metadata: name === undefined ? {generateName: prefixFor(user)} : {name},
    spec: {
      user,
      ...(groups.length === 0 ? {} : {groups: [...new Set(groups)]}),
      ...(uid === undefined ? {} : {uid}),
      ...(ttlSeconds === undefined ? {} : {ttlSeconds}),
      ...(description === undefined ? {} : {description}),
    },
  };
};

export const runCreate = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags} = parseOptions(words, createFlags, {max: 0, what: 'name the user with --for USER'});
  const wanted = readSpec(flags);
  return withKubeClient(flags, io, async client => {
    const created = await client
      .resource<AccessToken>(ACCESS_TOKENS)
      .create('', wanted, {fieldManager: 'palisade-token', fieldValidation: 'Strict'});
    const {token = ''} = created.status ?? {};
    const row = tokenRow(created);
    if (token === '')
      throw new CommandError(`accesstokens/${row.name}: the answer of the server has no token; revoke it`);
    io.stdout.write(flags.json ? `${terminalJson({...row, token})}\n` : `${token}\n`);
    const until = row.expires === null ? 'does not expire' : `expires at ${row.expires}`;
    io.stderr.write(
      terminalText(`palisade: accesstokens/${row.name} of user ${row.user} ${until}; the token is shown only once\n`),
    );
    return EXIT.ok;
  });
};
