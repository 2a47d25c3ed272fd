// SPDX-License-Identifier: Apache-2.0
/** Whom the user of a kubeconfig acts as, as headers of every request. Ref: client-go v0.36 transport/round_trippers.go. */

/** Members of a kubeconfig's user. */
export type ActsAs = {
  as?: string;
  'as-uid'?: string;
  'as-groups'?: readonly string[];
  'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
};

/** Bytes that stand in the name of a header as they are; `%` is none of them, for the sake of the reader. Ref: RFC 9110 section 5.6.2. */
const NAME_BYTE = /[!#$&'*+\-.^_`|~0-9A-Za-z]/;

/** As Go writes a header: the bytes of UTF-8. */
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const escapeKey = (key: string): string =>
  Array.from(bytesOf(key), byte =>
    NAME_BYTE.test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');

/** Empty for a user who acts as nobody else; undefined for one with parts of a user but no name, which client-go refuses. */
export const impersonationHeaders = (user: ActsAs): Record<string, string | readonly string[]> | undefined => {
  const {as = '', 'as-uid': uid = '', 'as-groups': groups = [], 'as-user-extra': extra = {}} = user;
  const parts = {
    ...(uid === '' ? {} : {'impersonate-uid': bytesOf(uid)}),
    ...(groups.length === 0 ? {} : {'impersonate-group': groups.map(bytesOf)}),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${escapeKey(key)}`, values.map(bytesOf)]),
    ),
  };
  if (as !== '') return {'impersonate-user': bytesOf(as), ...parts};
  return Object.keys(parts).length === 0 ? {} : undefined;
};
