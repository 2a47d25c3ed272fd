// SPDX-License-Identifier: Apache-2.0
/** Whether a YAML document has the form of a kubeconfig, as far as it is read. Ref: client-go tools/clientcmd/api/v1/types.go. */

type List = {readonly list: string; readonly of: string; readonly texts: readonly string[]};

const LISTS: readonly List[] = [
  {
    list: 'clusters',
    of: 'cluster',
    texts: ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name'],
  },
  {
    list: 'users',
    of: 'user',
    texts: [
      'token',
      'tokenFile',
      'client-certificate',
      'client-certificate-data',
      'client-key',
      'client-key-data',
      'username',
      'password',
    ],
  },
  {list: 'contexts', of: 'context', texts: ['cluster', 'user', 'namespace']},
];

type Fields = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textFaults = (fields: Fields, names: readonly string[], path: string): string[] =>
  names.flatMap(name =>
    fields[name] === undefined || typeof fields[name] === 'string' ? [] : [`${path}${name} must be a text`],
  );

const listFaults = (list: unknown, {list: name, of, texts}: List): string[] => {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`${name} must be a list`];
  return Array.from(list as readonly unknown[], (entry, at) => {
    const path = `${name}[${at}]`;
    if (!isMapping(entry) || typeof entry['name'] !== 'string') return [`${path} must be a mapping with a name`];
    const value = entry[of] ?? {};
    return isMapping(value) ? textFaults(value, texts, `${path}.${of}.`) : [`${path}.${of} must be a mapping`];
  }).flat();
};

/** Of a document whose null members are left out: `users[0].user.token must be a text`, all of them. */
export const kubeconfigFaults = (document: Fields): string[] => [
  ...textFaults(document, ['current-context'], ''),
  ...LISTS.flatMap(each => listFaults(document[each.list], each)),
];
