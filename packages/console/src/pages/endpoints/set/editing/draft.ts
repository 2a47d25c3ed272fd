// SPDX-License-Identifier: Apache-2.0
/** A text that is being edited, and how it is put onto an object that changed meanwhile. Pure. */
import {type Endpoints, isConflict, isKubeError, type KubeObject} from '@palisade/client/browser';
import {type BothChanged, mergeChanges} from '../../yaml/merge.ts';
import {OF_SERVER, parseText, toText, withResourceVersion} from '../../yaml/object-text.ts';
import {type Problem, problemsOf} from '../../yaml/problems.ts';
import {ENDPOINTS_TYPE} from '../set-state.ts';

export type Draft = {
  readonly text: string;
  /** The object that the text began with. */
  readonly base: Endpoints;
};

export const textOf = (object: Endpoints): string => toText(object, ENDPOINTS_TYPE);
/** For reviews and comparisons: what users write, and the defaults of the server. */
export const reviewText = (object: KubeObject): string => toText(object, ENDPOINTS_TYPE, OF_SERVER);

/** undefined: the text is the current object. */
export const draftOf = (text: string, base: Endpoints): Draft | undefined =>
  text === textOf(base) ? undefined : {text, base};

const withoutManagers = (object: KubeObject): KubeObject => {
  const {managedFields: _, ...metadata} = object.metadata ?? {};
  return {...ENDPOINTS_TYPE, ...object, metadata};
};

/** The same text for the current object: it reverts the changes of others. */
export const keptOver = ({text}: Draft, current: Endpoints): Draft => ({
  text: withResourceVersion(text, current.metadata?.resourceVersion ?? ''),
  base: current,
});

export type MergedDraft = {readonly draft: Draft; readonly both: readonly BothChanged[]};

/** Both changes in one text; undefined while the text cannot be read. */
export function mergedOver({text, base}: Draft, current: Endpoints): MergedDraft | undefined {
  const {object: mine} = parseText(text);
  if (mine === undefined) return undefined;
  const merged = mergeChanges(withoutManagers(base), withoutManagers(mine), withoutManagers(current));
  const both = merged.both.filter(({field}) => field !== 'metadata.resourceVersion');
  const version = current.metadata?.resourceVersion ?? '';
  return {draft: {text: withResourceVersion(textOf(merged.object as Endpoints), version), base: current}, both};
}

/** Longer values are cut in the list of fields that both changed. */
const VALUE_CHARACTERS = 200;

function valueText(value: unknown): string {
  if (value === undefined) return 'removed';
  const text = JSON.stringify(value);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text;
}

/** A field that both changed, for the user to decide. */
export const choiceOf = ({field, mine, theirs}: BothChanged): Problem => ({
  field,
  text: `yours, kept in the text: ${valueText(mine)}; on the server: ${valueText(theirs)}`,
  isChoice: true,
});

/** The object of a text about `namespace`/`name`; those are its address, and the server would take another name for another object. */
export function objectFor(
  text: string,
  {namespace, name}: {readonly namespace: string; readonly name: string},
): {readonly object: Endpoints} | {readonly problems: readonly Problem[]} {
  const parsed = parseText(text);
  if (parsed.problems !== undefined) return {problems: parsed.problems};
  const {object} = parsed;
  const wanted = {name, namespace} as const;
  const problems = (['name', 'namespace'] as const)
    .filter(field => object.metadata?.[field] !== wanted[field])
    .map(field => ({
      field: `metadata.${field}`,
      text: `must stay ${JSON.stringify(wanted[field])}; create another object instead`,
    }));
  return problems.length > 0 ? {problems} : {object};
}

/** Why the server did not take a text. */
export type Refusal = {
  /** `version`: another client was faster. `managers`: other managers have fields that the text sets. */
  readonly kind: 'version' | 'managers' | 'other';
  readonly problems: readonly Problem[];
  /** In the server's words. */
  readonly text: string;
};

export function refusalOf(error: unknown, text: string): Refusal {
  const words = isKubeError(error) ? error.status.message : '';
  if (!isConflict(error)) return {kind: 'other', problems: problemsOf(error, text), text: words};
  const managers = error.status.causes.filter(({reason}) => reason === 'FieldManagerConflict');
  if (managers.length === 0) return {kind: 'version', problems: [], text: words};
  const problems = managers.map(({field = '', message = ''}) => ({
    field: field.replace(/^\./, ''),
    text: message,
  }));
  return {kind: 'managers', problems, text: words};
}
