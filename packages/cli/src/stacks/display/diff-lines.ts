// SPDX-License-Identifier: Apache-2.0
/**
 * What `--diff` shows below a step: one line for each property, with its values, as the Pulumi CLI's `--diff` does, but each with
 * its whole path, so that a line can be found and read alone:
 *
 *   ~ metadata.labels.app: "web" => "shop"      + subsets[1]: {"ports":[{"port":80}]}      - description: "old"
 */

import type {ResourceState, Step} from '@palisade/engine';
import {sameValue} from '@palisade/engine';
import {
  type DiffKind,
  formatPropertyPath,
  getAtPath,
  isSecret,
  isUnknown,
  type PropertyMap,
  type PropertyPath,
  type PropertyValue,
  parsePropertyPath,
  revealProperties,
  UNKNOWN_SENTINEL,
} from '@palisade/provider';
import {maskValue} from './digest.ts';

type Sides = {readonly before: PropertyValue | undefined; readonly after: PropertyValue | undefined};
export type DiffOptions = {readonly showSecrets: boolean};

/** A value longer than this has lines of its own. */
const CHARACTERS_MAX = 100;
const HIDDEN_INPUTS: ReadonlySet<string> = new Set(['__internal', '__defaults']);

/** Secrets are `[secret]` unless asked for, what is not known before it is made `[unknown]`. */
export function diffLines(step: Step, options: DiffOptions): string[] {
  const {op, old, next} = step;
  if (op === 'create' || op === 'import') return wholeLines('+', next?.inputs, options);
  if (op === 'delete') return wholeLines('-', old?.inputs, options);
  if (op !== 'update' && op !== 'replace') return [];
  const detailed = Object.entries(step.detailedDiff ?? {});
  if (detailed.length === 0) return (step.diffReasons ?? []).flatMap(path => reasonLines(step, path, options));
  return detailed.flatMap(([text, {kind, inputDiff}]) => {
    const path = parsePropertyPath(text);
    const sides = {
      before: valueAt(old, path, {inputsFirst: inputDiff}),
      after: valueAt(next, path, {inputsFirst: true}),
    };
    return changeLines(text, {kind, ...sides}, options);
  });
}

const wholeLines = (sign: '+' | '-', inputs: PropertyMap | undefined, options: DiffOptions): string[] =>
  Object.entries(inputs ?? {})
    .filter(([key]) => !HIDDEN_INPUTS.has(key))
    .flatMap(([key, value]) => marked(sign, formatPropertyPath([key]), shown(value, options)));

/** Without details from the provider: a reason that is a property, by its two values. Others (`id`, `provider`) have no line. */
function reasonLines({old, next}: Step, reason: string, options: DiffOptions): string[] {
  const path = parsePropertyPath(reason);
  const [before, after] = [old, next].map(state => (state === undefined ? undefined : secretAt(state.inputs, path)));
  if (sameValue(before, after)) return [];
  const kind = before === undefined ? 'add' : after === undefined ? 'delete' : 'update';
  return changeLines(reason, {kind, before, after}, options);
}

function changeLines(path: string, change: Sides & {kind: DiffKind}, options: DiffOptions): string[] {
  const {kind, before, after} = change;
  const why = kind.endsWith('-replace') ? ' (replaces)' : '';
  if (kind === 'add' || kind === 'add-replace') return marked('+', `${path}${why}`, shown(after, options));
  if (kind === 'delete' || kind === 'delete-replace') return marked('-', `${path}${why}`, shown(before, options));
  const [was, becomes] = [shown(before, options), shown(after, options)];
  const line = `~ ${path}${why}: ${was} => ${becomes}`;
  if (line.length <= CHARACTERS_MAX && !line.includes('\n')) return [line];
  return [`~ ${path}${why}:`, ...block(`- ${was}`), ...block(`+ ${becomes}`)];
}

const marked = (sign: string, label: string, text: string): string[] => `${sign} ${label}: ${text}`.split('\n');
const block = (text: string): string[] => text.split('\n').map(line => `    ${line}`);

/** JSON, on one line when it fits. */
function shown(value: PropertyValue | undefined, {showSecrets}: DiffOptions): string {
  if (value === undefined) return '[none]';
  if (isUnknown(value)) return '[unknown]';
  const open = showSecrets ? (revealProperties({value})['value'] ?? null) : value;
  if (isSecret(open)) return '[secret]';
  const masked = maskValue(open);
  const short = withUnknowns(JSON.stringify(masked));
  return short.length <= CHARACTERS_MAX ? short : withUnknowns(JSON.stringify(masked, undefined, 4));
}

/** What is unknown inside of a value has a sentinel there. */
const withUnknowns = (json: string): string => json.replaceAll(`"${UNKNOWN_SENTINEL}"`, '[unknown]');

/** A provider compares new inputs with old inputs, or with what the object was; a refresh the other way round. */
function valueAt(
  state: ResourceState | undefined,
  path: PropertyPath,
  {inputsFirst}: {inputsFirst: boolean},
): PropertyValue | undefined {
  if (state === undefined) return undefined;
  const sources = inputsFirst ? [state.inputs, state.outputs] : [state.outputs, state.inputs];
  return secretAt(sources[0] ?? {}, path) ?? secretAt(sources[1] ?? {}, path);
}

/** The value at a path; secret when something that holds it is. */
function secretAt(root: PropertyMap, path: PropertyPath): PropertyValue | undefined {
  const value = getAtPath(root, path);
  if (value === undefined) return undefined;
  for (let length = 1; length < path.length; length++) {
    const holder = getAtPath(root, path.slice(0, length));
    if (isSecret(holder)) return holder;
  }
  return value;
}
