// SPDX-License-Identifier: Apache-2.0

import type {EngineEvent, Step} from '@palisade/engine';
import {emptyState} from '@palisade/engine/testing';
import {Secret, UNKNOWN} from '@palisade/provider';
import {describe, expect, test} from 'vitest';
import {DigestCollector, type DigestOptions} from './digest.ts';
import {outputLines, ProgressLines, summaryLines} from './progress.ts';

const urn = 'urn:pulumi:dev::p::fake:index:Thing::a';
const state = {
  ...emptyState(urn, 'fake:index:Thing'),
  inputs: {s: new Secret('hidden'), u: UNKNOWN, list: [new Secret(1)]},
};
const step = (op: Step['op'], more: Partial<Step> = {}): Step => ({op, urn, next: state, ...more});

function linesOf(events: readonly EngineEvent[], dryRun: boolean): string[] {
  const written: string[] = [];
  let now = 0;
  const lines = new ProgressLines({
    write: line => written.push(line),
    note: line => written.push(line),
    dryRun,
    diff: {showSecrets: false},
    now: () => (now += 1500),
  });
  for (const event of events) lines.take(event);
  lines.remind();
  lines.finish();
  return written;
}

describe('lines', () => {
  test('an update shows what is being done, how long it took and what differed', () => {
    const update = step('update', {
      diffReasons: ['value'],
      old: {...state, inputs: {value: {x: 1}}},
      next: {...state, inputs: {value: {x: 2}}},
      detailedDiff: {'value.x': {kind: 'update', inputDiff: true}},
    });
    expect(
      linesOf(
        [
          {kind: 'step-start', step: update},
          {kind: 'step-done', step: update, counted: true},
        ],
        false,
      ),
    ).toEqual([
      ' ~  fake:index:Thing a updating',
      ' ~  fake:index:Thing a updated (1.5s) [diff: ~value]',
      '        ~ value.x: 1 => 2',
    ]);
  });

  test('a preview shows a replacement once, and nothing of default providers or of what stays the same', () => {
    const events = (['same', 'create-replacement', 'replace', 'delete-replaced'] as const).map(
      op => ({kind: 'step-done', step: step(op), counted: true}) as const,
    );
    const provider = 'urn:pulumi:dev::p::pulumi:providers:fake::default';
    const hidden = {kind: 'step-done', step: {op: 'create', urn: provider}, counted: false} as const;
    expect(linesOf([...events, hidden], true)).toEqual([' +- fake:index:Thing a replace']);
  });

  test('a resource that only gets or loses its protection is shown', () => {
    const next = emptyState(urn, 'fake:index:Thing');
    const same = {op: 'same', urn: urn, old: {...next, protect: true}, next} as const;
    expect(linesOf([{kind: 'step-done', step: same, counted: true}], true)).toEqual([
      '    fake:index:Thing a [diff: ~protect]',
    ]);
    const digest = new DigestCollector({dryRun: true});
    digest.take({kind: 'step-start', step: same});
    digest.take({kind: 'step-done', step: same, counted: true});
    expect(digest.digest({config: {}, durationMs: 0, changes: {}}).steps).toMatchObject([{op: 'same', urn}]);
  });

  test('errors are counted by resource', () => {
    const lines = new ProgressLines({
      write: () => undefined,
      note: () => undefined,
      dryRun: false,
      diff: undefined,
      now: () => 0,
    });
    for (const [severity, of] of [
      ['error', urn],
      ['error', urn],
      ['error', ''],
      ['warning', `${urn}2`],
    ] as const)
      lines.take({kind: 'diagnostic', severity, urn: of, message: 'x'});
    expect(lines.errored).toBe(2);
  });

  test('what takes long is mentioned again', () => {
    let now = 0;
    const written: string[] = [];
    const lines = new ProgressLines({
      write: line => written.push(line),
      note: () => undefined,
      dryRun: false,
      diff: undefined,
      now: () => now,
    });
    lines.take({kind: 'step-start', step: step('create')});
    lines.remind();
    now = 31_000;
    lines.remind();
    lines.take({kind: 'step-done', step: step('create'), counted: true});
    lines.remind();
    expect(written).toEqual([
      ' +  fake:index:Thing a creating',
      ' +  fake:index:Thing a still creating (31s)',
      ' +  fake:index:Thing a created (31.0s)',
    ]);
  });

  test('diagnostics stand together at the end, every line of them, without colours', () => {
    const red = `${String.fromCharCode(27)}[31mred${String.fromCharCode(27)}[0m`;
    expect(
      linesOf(
        [
          {kind: 'diagnostic', severity: 'error', urn, message: `one\ntwo ${red}`},
          {kind: 'diagnostic', severity: 'debug', urn, message: 'not shown'},
          {kind: 'diagnostic', severity: 'warning', urn: '', message: 'three'},
        ],
        false,
      ),
    ).toEqual([
      'Diagnostics:',
      '  fake:index:Thing (a):',
      '    error: one',
      '    two red',
      '  the deployment:',
      '    warning: three',
    ]);
  });
});

describe('summary and outputs', () => {
  test('counts by kind, what stayed the same last', () => {
    expect(summaryLines({same: 2, create: 1, replace: 3}, {dryRun: true, durationMs: 2400, errored: 0})).toEqual([
      'Resources:',
      '    + 1 to create',
      '    +-3 to replace',
      '    4 changes. 2 unchanged',
      '',
      'Duration: 2s',
    ]);
    const nothing = {dryRun: false, durationMs: 0, errored: 0};
    expect(summaryLines({}, nothing)).toEqual(['Resources:', '    none', '', 'Duration: 1s']);
  });

  test('reads are no changes; what had an error is counted last', () => {
    const options = {dryRun: false, durationMs: 0, errored: 2};
    expect(summaryLines({same: 1, create: 1, read: 1}, options).slice(1, -2)).toEqual([
      '    + 1 created',
      '    > 1 read',
      '    1 unchanged',
      '    2 errored',
    ]);
    expect(summaryLines({}, options).slice(1, -2)).toEqual(['    2 errored']);
  });

  test('secrets are hidden unless asked for, structures are indented', () => {
    const outputs = {b: new Secret('hidden'), a: {x: [1]}, long: UNKNOWN};
    expect(outputLines(outputs, {showSecrets: false})).toEqual([
      'Outputs:',
      '    a   : {',
      '        "x": [',
      '            1',
      '        ]',
      '    }',
      '    b   : [secret]',
      '    long: [unknown]',
    ]);
    expect(outputLines(outputs, {showSecrets: true})).toContain('    b   : "hidden"');
    expect(outputLines({}, {showSecrets: false})).toEqual([]);
  });
});

describe('the digest of preview --json', () => {
  test('has the root stack, the changes, no secret, and durations in nanoseconds', () => {
    const digest = new DigestCollector({dryRun: false});
    const root = 'urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev';
    digest.take({kind: 'step-done', step: {op: 'same', urn: root}, counted: true});
    digest.take({kind: 'step-done', step: step('same'), counted: true});
    digest.take({kind: 'step-done', step: step('create', {detailedDiff: {}}), counted: true});
    digest.take({kind: 'diagnostic', severity: 'warning', urn, message: 'careful'});
    const result = digest.digest({config: {a: 'b'}, durationMs: 3, changes: {create: 1, same: 2}});
    expect(result).toMatchObject({
      config: {a: 'b'},
      duration: 3_000_000,
      changeSummary: {create: 1, same: 2},
      diagnostics: [{urn, severity: 'warning', message: 'warning: careful\n'}],
    });
    expect(result.steps.map(each => each['op'])).toEqual(['same', 'create']);
    expect(JSON.stringify(result)).not.toContain('hidden');
    expect(JSON.stringify(result)).toContain('[secret]');
  });

  const first = (steps: readonly Step[], options: Partial<DigestOptions> = {}) => {
    const digest = new DigestCollector({dryRun: true, ...options});
    for (const each of steps) {
      digest.take({kind: 'step-start', step: each});
      if (each.next !== undefined) each.next.outputs = {computed: 'answered'};
      digest.take({kind: 'step-done', step: each, counted: true});
    }
    return digest.digest({config: {}, durationMs: 0, changes: {}});
  };
  const fresh = () => ({...state, id: 'id-1', custom: true});

  test('a preview shows a step as it begins: without the id and the outputs of a provider', () => {
    const steps = (['create', 'update'] as const).map(op => step(op, {next: fresh()}));
    for (const each of first(steps).steps) {
      expect(each['newState']).not.toHaveProperty('outputs');
      expect(each['newState']).not.toHaveProperty('id');
    }
    expect(first([step('read', {next: fresh()})]).steps).toMatchObject([{op: 'read', newState: {id: 'id-1'}}]);
    expect(first([step('discard', {old: fresh(), next: undefined})]).steps).toMatchObject([{op: 'discard'}]);
  });

  test('a replacement is marked by what becomes of the old object', () => {
    const replace = (deletesFirst: boolean) =>
      first([step('replace', {old: fresh(), next: fresh(), deletesFirst})]).steps[0];
    expect(replace(false)).toMatchObject({oldState: {delete: true}, newState: {outputs: {computed: 'answered'}}});
    expect(replace(true)).toMatchObject({oldState: {pendingReplacement: true}});
    expect(replace(true)?.['newState']).not.toHaveProperty('outputs');
  });

  test('a refresh of its own shows what it found; one before an update only that it reads', () => {
    const drift = (refreshOnly: boolean) => {
      const digest = new DigestCollector({dryRun: true, refreshOnly});
      digest.take({kind: 'step-start', step: step('refresh')});
      const detailedDiff = {value: {kind: 'update', inputDiff: false}} as const;
      digest.take({kind: 'step-done', step: step('update', {detailedDiff}), counted: true});
      return digest.digest({config: {}, durationMs: 0, changes: {}}).steps.map(each => each['op']);
    };
    expect(drift(true)).toEqual(['update']);
    expect(drift(false)).toEqual(['refresh']);
  });

  test('lines of the program and its log as the CLI gives them, and that it failed', () => {
    const digest = new DigestCollector({dryRun: true});
    digest.take({kind: 'program-output', line: 'hello', isError: false});
    digest.take({kind: 'program-output', line: 'oh', isError: true});
    digest.take({kind: 'diagnostic', severity: 'info', urn, message: 'by the way'});
    digest.take({kind: 'diagnostic', severity: 'error', urn, message: 'no'});
    expect(digest.digest({config: {}, durationMs: 0, changes: {}}).diagnostics).toEqual([
      {message: 'hello\n\n', severity: 'info'},
      {message: 'oh\n\n', severity: 'info#err'},
      {urn, message: 'by the way\n', severity: 'info'},
      {urn, message: 'error: no\n', severity: 'error'},
      {message: 'error: preview failed\n', severity: 'error'},
    ]);
  });

  test('--suppress-outputs takes the properties of the stack out, and a component has no reasons', () => {
    const root = 'urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev';
    const stack = {...emptyState(root, 'pulumi:pulumi:Stack'), outputs: {word: 'x'}};
    const shown = (suppressOutputs: boolean) =>
      JSON.stringify(first([{op: 'same', urn: root, old: stack, next: {...stack}}], {suppressOutputs}).steps);
    expect(shown(false)).toContain('word');
    expect(shown(true)).not.toContain('word');
    const group = step('update', {old: state, next: {...state}, diffReasons: ['p']});
    expect(first([group]).steps[0]).not.toHaveProperty('diffReasons');
  });
});
