// SPDX-License-Identifier: Apache-2.0
/** Whom the user of a kubeconfig acts as, as headers of every request. Ref: client-go v0.36 transport/round_trippers.go. */

/** Members of a kubeconfig's user. */
export type ActsAs = {
  as?: string | null;
  'as-uid'?: string | null;
  'as-groups'?: readonly string[] | null;
  'as-user-extra'?: Readonly<Record<string, readonly string[] | null>> | null;
};

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isExtra = (value: unknown): boolean =>
  typeof value === 'object' && !Array.isArray(value) && Object.values(value ?? {}).every(v => v === null || isTexts(v));

/** What each member holds; null, as in Go, is as good as none. */
const SHAPES: readonly (readonly [keyof ActsAs, (value: unknown) => boolean, string])[] = [
  ['as', isText, 'a string'],
  ['as-uid', isText, 'a string'],
  ['as-groups', isTexts, 'a list of strings'],
  ['as-user-extra', isExtra, 'lists of strings by key'],
];

/** What is wrong with the members as they were read, one text each: `as-groups must be a list of strings`. */
export const impersonationFaults = (user: ActsAs): string[] =>
  SHAPES.flatMap(([member, fits, shape]) => {
    const value: unknown = user[member] ?? undefined;
    return value === undefined || fits(value) ? [] : [`${member} must be ${shape}`];
  });

/** Bytes that stand in the name of a header as they are; `%` is none of them, for the sake of the reader. Ref: RFC 9110 section 5.6.2. */
const NAME_BYTE = /[!#$&'*+\-.^_`|~0-9A-Za-z]/;

/** As Go writes a header: the bytes of UTF-8. */
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const escapeKey = (key: string): string =>
  Array.from(bytesOf(key), byte =>
    NAME_BYTE.test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');

/** Of a user without faults. Empty for one who acts as nobody else; undefined for one with parts of a user but no name, which client-go refuses. */
export const impersonationHeaders = (user: ActsAs): Record<string, string | readonly string[]> | undefined => {
  const [as, uid] = [user.as ?? '', user['as-uid'] ?? ''];
  const [groups, extra] = [user['as-groups'] ?? [], user['as-user-extra'] ?? {}];
  const parts = {
    ...(uid === '' ? {} : {'impersonate-uid': bytesOf(uid)}),
    ...(groups.length === 0 ? {} : {'impersonate-group': groups.map(bytesOf)}),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${escapeKey(key)}`,
        (values ?? []).map(bytesOf),
      ]),
    ),
  };
  if (as !== '') return {'impersonate-user': bytesOf(as), ...parts};
  return Object.keys(parts).length === 0 ? {} : undefined;
};
