// SPDX-License-Identifier: Apache-2.0
/** Plain lines while an operation runs, the diagnostics by resource, and the closing summary. */

import type {ChangeSummary, EngineEvent, Step, StepOp} from '@palisade/engine';
import {isDefaultProvider, isUrn, parseUrn} from '@palisade/engine';
import {isSecret, isUnknown, type PropertyMap, type PropertyValue, revealProperties} from '@palisade/provider';
import {type DiffOptions, diffLines} from './diff-lines.ts';
import {changesProtection, maskValue} from './digest.ts';

const SIGNS: Readonly<Record<StepOp, string>> = {
  same: '  ',
  create: '+ ',
  update: '~ ',
  delete: '- ',
  replace: '+-',
  'create-replacement': '++',
  'delete-replaced': '--',
  read: '> ',
  'read-replacement': '>>',
  refresh: '~ ',
  discard: '< ',
  'discard-replaced': '<<',
  'remove-pending-replace': '  ',
  import: '= ',
  'import-replacement': '=>',
};

const DOING: Partial<Record<StepOp, string>> = {
  create: 'creating',
  update: 'updating',
  delete: 'deleting',
  'create-replacement': 'creating replacement',
  'delete-replaced': 'deleting original',
  read: 'reading',
  refresh: 'refreshing',
  import: 'importing',
  'import-replacement': 'importing replacement',
};

const DONE: Partial<Record<StepOp, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  replace: 'replaced',
  'create-replacement': 'created replacement',
  'delete-replaced': 'deleted original',
  read: 'read',
  discard: 'discarded',
  import: 'imported',
  'import-replacement': 'imported replacement',
};

/** A preview shows a replacement once, not its halves. */
const SHOWN_IN_PREVIEW: Partial<Record<StepOp, string>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  replace: 'replace',
  read: 'read',
  discard: 'discard',
  import: 'import',
};

/** What an earlier update replaced and could not delete any more is deleted by the next one, whatever else there is to do. */
const LEFT_OVER = 'delete original, left over from an earlier update';

const previewWord = ({op, old}: Step): string | undefined =>
  op === 'delete-replaced' && old?.delete === true ? LEFT_OVER : SHOWN_IN_PREVIEW[op];

const COUNTED: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  replace: 'replaced',
  read: 'read',
  discard: 'discarded',
  import: 'imported',
};

/** A step that takes at least this long is mentioned again. */
const REMIND_AFTER_SECONDS = 10;

type Diagnostic = {readonly severity: string; readonly message: string};

type Sink = (line: string) => void;

/** Steps, what the program prints and what it logs as information are data; warnings, errors and notices are notes. */
export class ProgressLines {
  readonly #write: Sink;
  readonly #note: Sink;
  readonly #dryRun: boolean;
  readonly #diff: DiffOptions | undefined;
  readonly #diagnostics = new Map<string, Diagnostic[]>();
  readonly #started = new Map<string, {readonly step: Step; readonly at: number}>();
  readonly #now: () => number;

  /** `diff`: show changed properties below each step, and how. */
  constructor(options: {
    readonly write: Sink;
    readonly note: Sink;
    readonly dryRun: boolean;
    readonly diff: DiffOptions | undefined;
    readonly now: () => number;
  }) {
    this.#write = options.write;
    this.#note = options.note;
    this.#dryRun = options.dryRun;
    this.#diff = options.diff;
    this.#now = options.now;
  }

  take(event: EngineEvent): void {
    switch (event.kind) {
      case 'step-start':
        this.#start(event.step);
        return;
      case 'step-done':
        this.#done(event.step);
        return;
      case 'step-failed':
        this.#started.delete(event.step.urn);
        if (!isDefaultProvider(event.step.urn))
          this.#line(event.step, `${DOING[event.step.op] ?? event.step.op} failed`);
        return;
      case 'program-output':
        (event.isError ? this.#note : this.#write)(`    ${stripAnsi(event.line)}`);
        return;
      case 'notice':
        this.#note(event.line);
        return;
      case 'diagnostic':
        if (event.severity === 'error') this.#started.delete(event.urn);
        this.#collect(event.urn, event.severity, stripAnsi(event.message));
        return;
      case 'outputs':
        return;
    }
  }

  /** Called now and then: says what takes long. */
  remind(): void {
    if (this.#dryRun) return;
    for (const {step, at} of this.#started.values()) {
      const doing = DOING[step.op];
      const seconds = Math.round((this.#now() - at) / 1000);
      if (doing !== undefined && seconds >= REMIND_AFTER_SECONDS) this.#line(step, `still ${doing} (${seconds}s)`);
    }
  }

  #start(step: Step): void {
    this.#started.set(step.urn, {step, at: this.#now()});
    const doing = DOING[step.op];
    if (this.#dryRun || doing === undefined || isDefaultProvider(step.urn)) return;
    this.#line(step, doing);
  }

  #done(step: Step): void {
    const started = this.#started.get(step.urn);
    this.#started.delete(step.urn);
    if (changesProtection(step)) this.#line(step, '[diff: ~protect]');
    if (step.op === 'same' || step.op === 'refresh' || isDefaultProvider(step.urn)) return;
    const seconds = started === undefined ? 0 : (this.#now() - started.at) / 1000;
    const took = this.#dryRun || seconds < 0.1 ? '' : ` (${seconds.toFixed(1)}s)`;
    const reasons = step.diffReasons ?? [];
    const diff = reasons.length === 0 ? '' : ` [diff: ${reasons.map(reason => `~${reason}`).join(',')}]`;
    const word = this.#dryRun ? previewWord(step) : DONE[step.op];
    if (word === undefined) return;
    this.#line(step, `${word}${took}${diff}`);
    if (this.#diff !== undefined) for (const text of diffLines(step, this.#diff)) this.#write(`        ${text}`);
  }

  #line(step: Step, text: string): void {
    const {type, name} = parseUrn(step.urn);
    this.#write(` ${SIGNS[step.op]} ${type} ${name} ${text}`);
  }

  #collect(urn: string, severity: string, message: string): void {
    if (severity === 'debug') return;
    const list = this.#diagnostics.get(urn) ?? [];
    list.push({severity, message});
    this.#diagnostics.set(urn, list);
  }

  /** How many resources had an error. */
  get errored(): number {
    return [...this.#diagnostics.values()].filter(list => list.some(({severity}) => severity === 'error')).length;
  }

  /** The diagnostics grouped by resource, each in full. */
  finish(): void {
    const isInfo = ({severity}: Diagnostic) => severity === 'info';
    this.#finish(this.#write, isInfo);
    this.#finish(this.#note, diagnostic => !isInfo(diagnostic));
  }

  #finish(write: Sink, isMeant: (diagnostic: Diagnostic) => boolean): void {
    const lines = [...this.#diagnostics].flatMap(([urn, list]) => {
      const texts = list
        .filter(isMeant)
        .map(({severity, message}) => (severity === 'info' ? '' : `${severity}: `) + message);
      const indented = texts.flatMap(text => text.trimEnd().split('\n')).map(line => `    ${line}`);
      return indented.length === 0 ? [] : [`  ${title(urn)}:`, ...indented];
    });
    if (lines.length > 0) for (const line of ['Diagnostics:', ...lines]) write(line);
  }
}

/** Programs colour their stack traces; plain lines have no use for that. */
const stripAnsi = (text: string): string => text.replaceAll(ANSI, '');
const ESCAPE = String.fromCharCode(27);
const ANSI = new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g');

function title(urn: string): string {
  if (!isUrn(urn)) return 'the deployment';
  const {type, name} = parseUrn(urn);
  return `${type} (${name})`;
}

/** `Resources:` with the counts; then what stayed the same, and how many had an error. */
export function summaryLines(
  changes: ChangeSummary,
  options: {dryRun: boolean; durationMs: number; errored: number},
): string[] {
  const lines = ['Resources:'];
  for (const [op, word] of Object.entries(COUNTED)) {
    const count = changes[op] ?? 0;
    if (count > 0) lines.push(`    ${SIGNS[op as StepOp]}${count} ${options.dryRun ? `to ${op}` : word}`);
  }
  const kinds = Object.keys(COUNTED).filter(op => op !== 'read' && op !== 'discard' && (changes[op] ?? 0) > 0);
  const total = kinds.reduce((sum, op) => sum + (changes[op] ?? 0), 0);
  const same = changes['same'] ?? 0;
  const parts = [kinds.length > 1 ? `${total} changes` : '', same > 0 ? `${same} unchanged` : ''];
  if (parts.some(part => part !== '')) lines.push(`    ${parts.filter(part => part !== '').join('. ')}`);
  if (options.errored > 0) lines.push(`    ${options.errored} errored`);
  if (lines.length === 1) lines.push('    none');
  lines.push('', `Duration: ${Math.max(1, Math.round(options.durationMs / 1000))}s`);
  return lines;
}

/** `Outputs:` as the CLI shows them: scalars in quotes, structures indented, secrets hidden unless asked for. */
export function outputLines(outputs: PropertyMap, options: {showSecrets: boolean}): string[] {
  const shown = options.showSecrets ? revealProperties(outputs) : outputs;
  const keys = Object.keys(shown).sort();
  if (keys.length === 0) return [];
  const width = Math.max(...keys.map(key => key.length));
  return ['Outputs:', ...keys.flatMap(key => valueLines(key.padEnd(width), shown[key] ?? null))];
}

function valueLines(label: string, value: PropertyValue): string[] {
  if (isSecret(value)) return [`    ${label}: [secret]`];
  if (isUnknown(value)) return [`    ${label}: [unknown]`];
  const text = JSON.stringify(maskValue(value), undefined, 4) ?? 'null';
  const [first = '', ...others] = text.split('\n');
  return [`    ${label}: ${first}`, ...others.map(line => `    ${line}`)];
}
