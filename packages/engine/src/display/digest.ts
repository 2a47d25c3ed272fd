// SPDX-License-Identifier: Apache-2.0
/** The JSON of `preview --json`, as the CLI prints it (also given after up, refresh and destroy). Ref: Pulumi PreviewDigest. */
import {isSecret, isUnknown, type PropertyMap, type PropertyValue, UNKNOWN_SENTINEL} from '@palisade/provider';
import type {ChangeSummary, EngineEvent, Step} from '../deploy/events.ts';
import {type JsonObject, stateToJson} from '../state/resource-json.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {isDefaultProvider, parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';

const NANOSECONDS = 1_000_000;

export type Digest = {
  readonly config?: Readonly<Record<string, string>>;
  readonly steps: readonly JsonObject[];
  readonly diagnostics: readonly {readonly urn?: string; readonly message: string; readonly severity: string}[];
  /** Nanoseconds. */
  readonly duration: number;
  readonly changeSummary: ChangeSummary;
};

export class DigestCollector {
  readonly #steps: JsonObject[] = [];
  readonly #diagnostics: {urn?: string; message: string; severity: string}[] = [];

  take(event: EngineEvent): void {
    if (event.kind === 'step-done') {
      if (isShown(event.step)) this.#steps.push(stepJson(event.step));
    } else if (event.kind === 'diagnostic' && event.severity !== 'debug') {
      const {urn, message, severity} = event;
      this.#diagnostics.push({...(urn === '' ? {} : {urn}), message: `${severity}: ${message}`, severity});
    } else if (event.kind === 'program-output') this.#diagnostics.push({message: event.line, severity: 'info'});
  }

  digest(of: {config: Readonly<Record<string, string>>; durationMs: number; changes: ChangeSummary}): Digest {
    return {
      ...(Object.keys(of.config).length === 0 ? {} : {config: of.config}),
      steps: this.#steps,
      diagnostics: this.#diagnostics,
      duration: of.durationMs * NANOSECONDS,
      changeSummary: of.changes,
    };
  }
}

/** The halves of a replacement, look-ups and what stays the same are left out; the root stack is always there. */
const HIDDEN: ReadonlySet<string> = new Set([
  'create-replacement',
  'delete-replaced',
  'discard-replaced',
  'import-replacement',
  'read-replacement',
  'remove-pending-replace',
  'refresh',
  'read',
  'discard',
  'same',
]);

function isShown(step: Step): boolean {
  if (isDefaultProvider(step.urn)) return false;
  return (
    !HIDDEN.has(step.op) ||
    (step.op === 'same' && parseUrn(step.urn).type === ROOT_STACK_TYPE) ||
    changesProtection(step)
  );
}

/** Nothing to do for the object, but it is (or is no longer) protected. */
export const changesProtection = ({op, old, next}: Step): boolean =>
  op === 'same' && old !== undefined && next !== undefined && old.protect !== next.protect;

function stepJson(step: Step): JsonObject {
  const {op, urn, old, next, detailedDiff, diffReasons, replaceReasons} = step;
  const provider = (next ?? old)?.provider ?? '';
  const differences = Object.entries(detailedDiff ?? {}).map(
    ([path, {kind, inputDiff}]) => [path, {kind, inputDiff}] as const,
  );
  return {
    op,
    urn,
    ...(provider === '' ? {} : {provider}),
    ...(old === undefined ? {} : {oldState: shownState(old)}),
    ...(next === undefined ? {} : {newState: shownState(next)}),
    ...(diffReasons === undefined || diffReasons.length === 0 ? {} : {diffReasons: [...diffReasons]}),
    ...(replaceReasons === undefined || replaceReasons.length === 0 ? {} : {replaceReasons: [...replaceReasons]}),
    detailedDiff: differences.length === 0 ? null : Object.fromEntries(differences),
  };
}

const shownState = (state: ResourceState): JsonObject =>
  stateToJson({...state, inputs: maskMap(state.inputs), outputs: maskMap(state.outputs)}, () => ({}));

/** Secrets become the text `[secret]`; unknowns keep their wire form. */
export function maskMap(map: PropertyMap): PropertyMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, maskValue(value)]));
}

export function maskValue(value: PropertyValue): PropertyValue {
  if (isSecret(value)) return '[secret]';
  if (isUnknown(value)) return UNKNOWN_SENTINEL;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((member: PropertyValue) => maskValue(member));
  return maskMap(value as PropertyMap);
}
