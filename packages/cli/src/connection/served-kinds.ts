// SPDX-License-Identifier: Apache-2.0
/** The kind of a server that a word of the command line means. Ref: names as kubectl takes them. */
import {type KubeClient, readServedKinds, resourceName, type Served, type ServedKind} from '@palisade/client';
import {nearest} from '@palisade/engine/nearest';
import {CommandError} from '../command-line/io.ts';
import {isAnonymousRefusal} from './credential.ts';

/** The kinds of a server such as `palisade serve`. */
const knownKinds = async (): Promise<ServedKind[]> => {
  const {kubeModule} = await import('@palisade/kinds');
  return kubeModule.kinds.map(({resource, shortNames = [], ...kind}) => ({...kind, plural: resource, shortNames}));
};

export const servedKinds = (client: KubeClient): Promise<Served> => readServedKinds(client, knownKinds);

const namesOf = ({plural, singular, shortNames, kind}: ServedKind): string[] => [
  plural,
  singular,
  kind.toLowerCase(),
  ...shortNames,
];

/** What to write for an object of the kind that a word alone names; undefined if it names none of those that palisade knows. */
export const targetHint = async (word: string): Promise<string | undefined> => {
  const kind = (await knownKinds()).find(each => namesOf(each).includes(word.toLowerCase()));
  if (kind === undefined) return undefined;
  return `for one of the ${kind.plural} write ${kind.plural}/NAME; kubectl get ${kind.plural} lists them`;
};

/**
 * Plural, singular, short name or kind, alone or with `.GROUP` or `.VERSION.GROUP`. Throws CommandError that names what there is,
 * and to who did not sign in the refusal.
 */
export const findKind = ({kinds, unread, refused}: Served, word: string): ServedKind => {
  const [name = '', ...rest] = word.toLowerCase().split('.');
  const suffix = rest.join('.');
  const fits = (kind: ServedKind): boolean =>
    namesOf(kind).includes(name) && ['', kind.group, `${kind.version}.${kind.group}`].includes(suffix);
  const found = kinds.find(fits);
  if (found !== undefined) return found;
  if (isAnonymousRefusal(refused)) throw refused;
  const stored = kinds.filter(kind => kind.verbs.includes('get'));
  const near = nearest(
    name,
    stored.flatMap(({plural, singular}) => [plural, singular]),
  );
  throw new CommandError(
    [
      `unknown resource "${word}"${near === undefined ? '' : ` (did you mean "${near}"?)`}: ${refused === undefined ? 'this server has' : 'palisade knows'} ${stored.map(resourceName).join(', ')}`,
      ...unread.map(({what, why}) => `the kinds of ${what} are unknown: ${why}`),
    ].join('\n'),
  );
};
