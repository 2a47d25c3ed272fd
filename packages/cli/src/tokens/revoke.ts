// SPDX-License-Identifier: Apache-2.0
/** `palisade token revoke`: by name, by the token itself on stdin, or all of a user. */
import {hash} from 'node:crypto';
import {isNotFound, type KubeClient} from '@palisade/client';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import {type CliIo, CommandError, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
import {type Parsed, parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {ACCESS_TOKENS, type AccessToken, allTokens, selectorOf, TOKEN_PREFIX, tokenRow} from './objects.ts';
import {revokeFlags} from './token-flags.ts';

const STDIN = '-';
/** A token is shorter; more is another file. */
const STDIN_CHARS_MAX = 4_096;

const readToken = async (stdin: CliIo['stdin']): Promise<string> => {
  if (isTerminal(stdin)) throw new UsageError('the token is read from stdin: palisade token revoke - < FILE');
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > STDIN_CHARS_MAX) break;
  }
  const token = text.trim();
  if (!token.startsWith(TOKEN_PREFIX) || /\s/.test(token) || text.length > STDIN_CHARS_MAX)
    throw new CommandError(`stdin: not an access token; it must be one line that starts with ${TOKEN_PREFIX}`);
  return token;
};

const faultsOf = (names: readonly string[], {user}: Parsed<typeof revokeFlags>): string[] => {
  const faults: string[] = [];
  if (names.length === 0 && user === undefined)
    faults.push('a NAME is required, or - for a token on stdin, or --user USER');
  if (names.length > 0 && user !== undefined) faults.push('NAME and --user exclude each other');
  if (names.includes(STDIN) && names.length > 1) faults.push('- and NAME exclude each other');
  for (const name of names) {
    if (name === STDIN) continue;
    if (name.startsWith(TOKEN_PREFIX))
      faults.push(
        'a token on the command line can be read by other users of this machine: pass it on stdin, with - as the NAME',
      );
    else for (const fault of nameIsDnsSubdomain(name, false)) faults.push(`"${name}": ${fault}`);
  }
  return faults;
};

/** Those that a selector names; a fault when there are none. */
const selected = async (client: KubeClient, selector: string, fault: string): Promise<AccessToken[]> => {
  const found: AccessToken[] = [];
  for await (const token of allTokens(client, selector)) found.push(token);
  if (found.length === 0) throw new CommandError(fault);
  return found;
};

export const runRevoke = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals: names} = parseOptions(words, revokeFlags, {max: Number.POSITIVE_INFINITY});
  const faults = faultsOf(names, flags);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  const token = names[0] === STDIN ? await readToken(io.stdin) : undefined;
  return withKubeClient(flags, io, async client => {
    const tokens = client.resource<AccessToken>(ACCESS_TOKENS);
    const found =
      token !== undefined
        ? await selected(
            client,
            selectorOf('status.digest', hash('sha256', token, 'hex')),
            'stdin: no such access token',
          )
        : flags.user !== undefined
          ? await selected(client, selectorOf('spec.user', flags.user), `user "${flags.user}" has no access tokens`)
          : await Promise.all([...new Set(names)].map(name => tokens.get('', name)));
    for (const each of found) {
      const {name, user} = tokenRow(each);
      await tokens.delete('', name, {uid: each.metadata?.uid}).catch((error: unknown) => {
        if (!isNotFound(error)) throw error; // else somebody revoked it meanwhile
      });
      io.stdout.write(
        flags.json
          ? `${terminalJson({name, user, revoked: true})}\n`
          : terminalText(`accesstokens/${name} of user ${user} revoked\n`),
      );
    }
    return EXIT.ok;
  });
};
