// SPDX-License-Identifier: Apache-2.0
/** An object as the text that people edit, and back. */
import type {KubeObject} from '@palisade/client/browser';
import {LineCounter, parseDocument, stringify} from 'yaml';
import {isMapping} from './merge.ts';
import type {Problem} from './problems.ts';

const FIRST = ['apiVersion', 'kind', 'metadata'];
const FIRST_OF_METADATA = ['name', 'generateName', 'namespace', 'labels', 'annotations'];

type Fields = Readonly<Record<string, unknown>>;

const inOrder = (fields: Fields, first: readonly string[]): Fields => ({
  ...Object.fromEntries(first.filter(name => name in fields).map(name => [name, fields[name]])),
  ...Object.fromEntries(Object.entries(fields).filter(([name]) => !first.includes(name))),
});

/** Metadata that only the server writes. */
export const OF_SERVER = ['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp'] as const;
/** Left out of the text. */
export type Hidden = (typeof OF_SERVER)[number];

/** YAML with the fields that people look for first. `object` may lack apiVersion and kind, as items of lists do: `type` has them. */
export function toText(
  object: KubeObject,
  type: {readonly apiVersion: string; readonly kind: string},
  hidden: readonly Hidden[] = ['managedFields'],
): string {
  const shown = Object.entries(object.metadata ?? {}).filter(([name]) => !hidden.some(one => one === name));
  const metadata = inOrder(Object.fromEntries(shown), FIRST_OF_METADATA);
  return stringify(inOrder({...type, ...object, metadata}, FIRST), {lineWidth: 0, aliasDuplicateObjects: false});
}

export type Parsed =
  | {readonly object: KubeObject; readonly problems?: never}
  | {readonly object?: never; readonly problems: readonly Problem[]};

/** All faults at once, with their lines from 1. Several documents in one text are a fault. */
export function parseText(text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, {lineCounter: lines, prettyErrors: false});
  if (document.errors.length > 0)
    return {problems: document.errors.map(({message, pos}) => ({text: message, line: lines.linePos(pos[0]).line}))};
  let value: unknown;
  try {
    value = document.toJS({maxAliasCount: 100});
  } catch (error) {
    return {problems: [{text: (error as Error).message}]};
  }
  if (!isMapping(value))
    return {problems: [{text: 'The text is not an object: begin with apiVersion, kind and metadata'}]};
  if ('metadata' in value && !isMapping(value['metadata']))
    return {problems: [{field: 'metadata', text: 'metadata is not a mapping', line: 1}]};
  return {object: value as KubeObject};
}

/** The text with another resourceVersion, otherwise unchanged. */
export const withResourceVersion = (text: string, version: string): string =>
  text.replace(
    /^( +)resourceVersion:.*$/m,
    (_, indent: string) => `${indent}resourceVersion: ${JSON.stringify(version)}`,
  );
