// SPDX-License-Identifier: Apache-2.0
/** The JSON of `preview --json`, as the CLI prints it (also given after up, refresh and destroy). Ref: Pulumi PreviewDigest. */

import type {ChangeSummary, EngineEvent, ResourceState, Step} from '@palisade/engine';
import {isDefaultProvider, type JsonObject, parseUrn, ROOT_STACK_TYPE, stateToJson} from '@palisade/engine';
import {isSecret, isUnknown, type PropertyMap, type PropertyValue, UNKNOWN_SENTINEL} from '@palisade/provider';

const NANOSECONDS = 1_000_000;

type Diagnostic = {readonly urn?: string; readonly message: string; readonly severity: string};

export type Digest = {
  readonly config?: Readonly<Record<string, string>>;
  readonly steps: readonly JsonObject[];
  readonly diagnostics: readonly Diagnostic[];
  /** Nanoseconds. */
  readonly duration: number;
  readonly changeSummary: ChangeSummary;
};

export type DigestOptions = {
  readonly dryRun: boolean;
  /** A refresh of its own: what was found takes the place of the reading. */
  readonly refreshOnly?: boolean;
  /** `--suppress-outputs`: nothing of the stack's properties. */
  readonly suppressOutputs?: boolean;
};

/**
 * A preview has each step as it begins: without what the provider would answer, though the program gets it. An operation has
 * what was done. Ref: Pulumi pkg/backend/display/json.go, ShowPreviewDigest.
 */
export class DigestCollector {
  readonly #options: DigestOptions;
  readonly #steps: {urn: string; json: JsonObject}[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  #failed = false;

  constructor(options: DigestOptions) {
    this.#options = options;
  }

  take(event: EngineEvent): void {
    switch (event.kind) {
      case 'step-start':
        if (this.#options.dryRun && event.step.op !== 'replace') this.#add(begun(event.step));
        return;
      case 'step-done':
        if (!this.#options.dryRun) {
          if (event.step.op !== 'read' && event.step.op !== 'discard') this.#add(event.step);
        } else if (event.step.op === 'replace') this.#add(replacing(event.step));
        else if (this.#options.refreshOnly === true) this.#settle(event.step);
        return;
      case 'diagnostic':
        this.#diagnose(event);
        return;
      case 'program-output':
        this.#diagnostics.push({message: `${event.line}\n\n`, severity: event.isError ? 'info#err' : 'info'});
    }
  }

  #add(step: Step): void {
    if (isShown(step)) this.#steps.push({urn: step.urn, json: stepJson(step, this.#options)});
  }

  /** What a refresh found out about a resource. */
  #settle(step: Step): void {
    const found = step.op === 'delete' || (step.op === 'update' && Object.keys(step.detailedDiff ?? {}).length > 0);
    const shown = this.#steps.find(({urn}) => urn === step.urn);
    if (found && shown !== undefined) shown.json = stepJson(step, this.#options);
  }

  #diagnose({severity, urn, message}: EngineEvent & {kind: 'diagnostic'}): void {
    if (severity === 'error') this.#failed = true;
    if (severity === 'debug') return;
    const prefix = severity === 'info' ? '' : `${severity}: `;
    this.#diagnostics.push({...(urn === '' ? {} : {urn}), message: `${prefix}${message}\n`, severity});
  }

  digest(of: {config: Readonly<Record<string, string>>; durationMs: number; changes: ChangeSummary}): Digest {
    const last = `error: ${this.#options.dryRun ? 'preview' : 'update'} failed\n`;
    return {
      ...(Object.keys(of.config).length === 0 ? {} : {config: of.config}),
      steps: this.#steps.map(({json}) => json),
      diagnostics: [...this.#diagnostics, ...(this.#failed ? [{message: last, severity: 'error'}] : [])],
      duration: of.durationMs * NANOSECONDS,
      changeSummary: of.changes,
    };
  }
}

/** The halves of a replacement and what stays the same are left out; the root stack is always there. */
const HIDDEN: ReadonlySet<string> = new Set([
  'create-replacement',
  'delete-replaced',
  'discard-replaced',
  'import-replacement',
  'read-replacement',
  'remove-pending-replace',
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

const UNANSWERED: ReadonlySet<string> = new Set(['create', 'update', 'same', 'import']);

/** Before a provider has answered. */
function begun(step: Step): Step {
  if (step.next === undefined || !UNANSWERED.has(step.op)) return step;
  return {...step, next: {...step.next, id: '', outputs: {}}};
}

/** Reported when it is over; where the old object is deleted first, that is before the new one is created. */
function replacing(step: Step): Step {
  const {old, next, deletesFirst = false} = step;
  const marked = old === undefined ? old : {...old, delete: !deletesFirst, pendingReplacement: deletesFirst};
  return {...step, old: marked, next: deletesFirst && next !== undefined ? {...next, id: '', outputs: {}} : next};
}

function stepJson(step: Step, options: DigestOptions): JsonObject {
  const {op, urn, old, next, detailedDiff, diffReasons, replaceReasons} = step;
  const provider = (next ?? old)?.provider ?? '';
  const differences = Object.entries(detailedDiff ?? {}).map(
    ([path, {kind, inputDiff}]) => [path, {kind, inputDiff}] as const,
  );
  const isComponent = (next ?? old)?.custom === false;
  const isByProvider = replaceReasons?.[0] === 'provider' && differences.length === 0;
  return {
    op,
    urn,
    ...(provider === '' ? {} : {provider}),
    ...(old === undefined ? {} : {oldState: shownState(old, options)}),
    ...(next === undefined ? {} : {newState: shownState(next, options)}),
    ...(isComponent || isByProvider || diffReasons === undefined || diffReasons.length === 0
      ? {}
      : {diffReasons: [...diffReasons]}),
    ...(replaceReasons === undefined || replaceReasons.length === 0 ? {} : {replaceReasons: [...replaceReasons]}),
    detailedDiff: differences.length === 0 ? null : Object.fromEntries(differences),
  };
}

function shownState(state: ResourceState, {suppressOutputs = false}: DigestOptions): JsonObject {
  const hidden = suppressOutputs && state.type === ROOT_STACK_TYPE;
  const [inputs, outputs] = hidden ? [{}, {}] : [maskMap(state.inputs), maskMap(state.outputs)];
  return stateToJson({...state, inputs, outputs}, () => ({}));
}

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
