// SPDX-License-Identifier: Apache-2.0
/** What is on disk of rule sets, with a stand-in for Suricata that notes where it ran. */
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {SENSOR_LIMITS} from '../limits.ts';
import {type CompileOptions, compileRuleSet} from './rule-set.ts';
import {RulesInForce} from './rules-in-force.ts';

const TAKEN = 'alert tcp any any -> any any (msg:"a"; content:"x"; sid:1;)\n';
const FORBIDDEN = 'alert tcp any any -> any any (msg:"b"; lua:x.lua; sid:2;)\n';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-rule-set-'));
  mkdirSync(join(place, 'sets'));
});
afterEach(() => rmSync(place, {recursive: true}));

const sets = (): string[] => readdirSync(join(place, 'sets')).sort();
/** The rule file with this text, and a Suricata that gives that verdict. */
const prepared = (rules: string | Buffer, exitCode: number, signal: AbortSignal) => {
  const [file, path] = [join(place, 'my.rules'), join(place, 'suricata')];
  writeFileSync(file, rules);
  writeFileSync(path, `#!/bin/sh\npwd >${join(place, 'ran-in')}\nexit ${exitCode}\n`, {mode: 0o755});
  const options: CompileOptions = {
    dir: join(place, 'sets'),
    suricata: {path, version: '7.0.10', major: 7},
    runAs: undefined,
    homeNet: 'any',
    decodeVxlan: false,
    patternMatcher: 'ac-ks',
    timers: {after: () => ({cancel: () => {}})},
    limits: SENSOR_LIMITS,
    signal,
  };
  return {files: [file], options};
};
const compile = (rules: string | Buffer, exitCode: number, signal = new AbortController().signal) => {
  const {files, options} = prepared(rules, exitCode, signal);
  return compileRuleSet(files, options);
};

test.each([
  ['right but for the forbidden rule', 0],
  ['that Suricata gives no verdict on', 1],
])('a set of that version which is there stays as it is when its rules are refused: rules %s', async (_, exitCode) => {
  const refuse = () => expect(compile(TAKEN + FORBIDDEN, exitCode)).rejects.toMatchObject({code: 'rule-error'});
  await refuse();
  expect(sets()).toEqual([]);
  const version = basename(dirname(readFileSync(join(place, 'ran-in'), 'utf8').trim())).replace('.refused', '');
  mkdirSync(join(place, 'sets', version));
  writeFileSync(join(place, 'sets', version, 'verified.json'), '{}');
  await refuse();
  expect([sets(), readdirSync(join(place, 'sets', version))]).toEqual([[version], ['verified.json']]);
});

test('nothing is left of refused rules whose look at was given up', async () => {
  await expect(compile(TAKEN + FORBIDDEN, 0, AbortSignal.abort())).rejects.toMatchObject({code: 'aborted'});
  expect(sets()).toEqual([]);
});

test('what a crash left of refused rules goes with the next set, and counts as none: two of before stay', async () => {
  for (const [at, name] of ['oldest', 'older', 'old', 'crashed.refused'].entries()) {
    const folder = join(place, 'sets', name);
    mkdirSync(folder);
    utimesSync(folder, at + 1, at + 1);
  }
  const {version} = await compile(TAKEN, 0);
  expect(sets()).toEqual([version, 'old', 'older'].sort());
});

test('Suricata gets the bytes of a file that is no UTF-8 as they are; its other rules keep their names', async () => {
  const rules = Buffer.concat([Buffer.from('# caf\xe9\n', 'latin1'), Buffer.from(TAKEN.replace('"a"', '"naïve"'))]);
  const {folder, files, signatures, version} = await compile(rules, 0);
  expect(readFileSync(join(folder, files[0]?.name ?? ''))).toEqual(rules);
  expect(signatures.get('1:1')).toMatchObject({name: 'naïve'});
  const inUtf8 = await compile(`# café\n${TAKEN.replace('"a"', '"naïve"')}`, 0);
  expect(inUtf8.version).not.toBe(version);
});

test('a rule that is no UTF-8, which Suricata refuses without its line, is named with its line and the way out', async () => {
  const rules = Buffer.from(
    `# caf\xe9\n${TAKEN}${TAKEN.replace('"a"', '"caf\xe9"').replace('sid:1', 'sid:3')}`,
    'latin1',
  );
  const reason = expect.stringMatching(/not valid UTF-8: write a byte of a content as \|E9\|/);
  const withSpace = Buffer.from(`${TAKEN.trim()}\xa0\n`, 'latin1');
  await expect(compile(withSpace, 0)).rejects.toMatchObject({code: 'rule-error', faults: [{line: 1, reason}]});
  await expect(compile(rules, 0)).rejects.toMatchObject({code: 'rule-error', faults: [{line: 3, reason}]});
});

test('rules that are indented are named, other indented lines and continuations are not', async () => {
  const {indented, signatures} = await compile(
    `${TAKEN} note\n ${TAKEN}\t${TAKEN}# alert\nalert tcp any any -> any any (msg:"b"; \\\n  drop x; sid:2;)\n`,
    0,
  );
  expect(indented).toEqual([3, 4].map(line => ({file: join(place, 'my.rules'), line})));
  expect([...signatures.keys()]).toEqual(['1:1', '1:2']);
});

test('a set with indented rules is put in force, and the log names them', async () => {
  const warned: object[] = [];
  const ignore = () => {};
  const log = {debug: ignore, info: ignore, warn: (fields: object) => void warned.push(fields), error: ignore};
  const {files, options} = prepared(`${TAKEN} ${TAKEN.replace('sid:1', 'sid:2')}`, 0, new AbortController().signal);
  const rules = new RulesInForce({dir: place, files, compile: options, log, tellsRefusal: false});
  expect(await rules.ready()).toMatchObject({rules: 1});
  const lines = [`${join(place, 'my.rules')}, line 2`];
  expect(warned).toEqual([{lines}]);
  await rules.replace(files, async () => {});
  expect(warned).toEqual([{lines}, {lines}]);
});

test.each([
  ['# none\n', /see nothing$/],
  [
    ` ${TAKEN}`,
    /see nothing \(Suricata skips a rule that is indented: .*my\.rules, line 1; begin it at the start of its line\)$/,
  ],
  [` ${TAKEN}`.repeat(99), /skips 99 rules that are indented, the first in .*my\.rules, line 1; begin each/],
  [` ${TAKEN}`.repeat(101), /skips 100 or more rules that are indented/],
])('a set without a rule in force is refused, and rules that are indented are told', async (rules, message) => {
  await expect(compile(rules, 0)).rejects.toMatchObject({code: 'no-rules', message: expect.stringMatching(message)});
});

test('a file with a NUL byte is refused as no text, in one line', async () => {
  const picture = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.alloc(64),
    Buffer.from('\n'.repeat(500)),
  ]);
  const message = `Rule file ${join(place, 'my.rules')}: it is no text: there is a NUL byte in it`;
  await expect(compile(picture, 0)).rejects.toMatchObject({code: 'rule-file', message});
  expect(sets()).toEqual([]);
});
