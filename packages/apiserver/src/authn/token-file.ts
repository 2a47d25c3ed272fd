// SPDX-License-Identifier: Apache-2.0
/**
 * The file of `--token-auth-file`: one line per token, `token,user,uid,"group1,group2"`. A token may also be given as
 * `sha256:HEX`, the digest of its bytes, so that the file need not hold it.
 * Ref: kubernetes v1.36 apiserver/pkg/authentication/token/tokenfile/tokenfile.go; unlike there every fault is refused, and
 * text that its author may have meant differently causes a warning.
 */
import {hash} from 'node:crypto';
import type {UserInfo} from '../identity/authenticator.ts';
import {parseCsv} from './csv.ts';
import {AUTHENTICATED} from './user-name.ts';

/** Every fault of the file, each with its line. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Users by the hexadecimal SHA-256 digest of their token: the tokens themselves are not kept. */
export type TokenTable = ReadonlyMap<string, UserInfo>;

const COLUMNS_MIN = 3;
const COLUMNS_MAX = 4;
const DIGEST = /^sha256:([0-9a-f]{64})$/i;

/** SHA-256, hexadecimal. Random tokens need neither a salt nor a slow hash. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex');

/** The users of the file; there may be none. `warn` gets each ignored part with its line. Throws TokenFileError. */
export const parseTokenFile = (text: string, warn: (warning: string) => void = () => {}): TokenTable => {
  const {records, faults: syntax} = parseCsv(text);
  const faults = syntax.map(fault => ({line: fault.line, text: fault.text}));
  const users = new Map<string, UserInfo>();
  const lines = new Map<string, number>();
  for (const {line, fields} of records) {
    const fault = (text: string): unknown => faults.push({line, text});
    if (fields.length < COLUMNS_MIN) {
      fault(
        `found ${fields.length} ${fields.length === 1 ? 'column' : 'columns'}, need at least ${COLUMNS_MIN}: token, user name, user uid[, "group1,group2"]`,
      );
      continue;
    }
    const [token = '', name = '', uid = '', groups] = fields;
    if (!token.startsWith('sha256:') && /\s/.test(token)) {
      warn(`line ${line}: ignored: a token cannot contain white space (comments are not supported)`);
      continue;
    }
    if (token.startsWith('#')) warn(`line ${line}: starts with "#" but is read as a token: comments are not supported`);
    if (fields.length > COLUMNS_MAX) {
      warn(`line ${line}: ${fields.length} columns, all after the fourth are ignored: write groups as "group1,group2"`);
    }
    if (token === '') fault('the token is empty');
    if (name === '') fault('the user name is empty');
    const digest = token.startsWith('sha256:') ? DIGEST.exec(token)?.[1]?.toLowerCase() : digestOf(token);
    if (digest === undefined) fault('sha256: must be followed by 64 hexadecimal digits');
    else if (token !== '') {
      const before = lines.get(digest);
      if (before !== undefined) fault(`duplicate of the token in line ${before}`);
      lines.set(digest, line);
      users.set(digest, {name, uid, groups: withAuthenticated(groups === undefined ? [] : groups.split(','))});
    }
  }
  if (faults.length > 0) {
    throw new TokenFileError(faults.sort((a, b) => a.line - b.line).map(({line, text}) => `line ${line}: ${text}`));
  }
  return users;
};

const withAuthenticated = (groups: readonly string[]): readonly string[] =>
  groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
