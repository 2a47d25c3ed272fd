// SPDX-License-Identifier: Apache-2.0
/** What is on disk of rule sets, with a stand-in for Suricata that notes where it ran. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {Gate} from '../gate.ts';
import {SENSOR_LIMITS} from '../limits.ts';
import {DEFAULT_RULE_POLICY} from './rule-policy.ts';
import {type CompileOptions, compileRuleSet, loadRuleSet} from './rule-set.ts';
import {RulesInForce} from './rules-in-force.ts';
import {plainRuleSet} from './sources.ts';

const TAKEN = 'alert tcp any any -> any any (msg:"a"; content:"x"; sid:1;)\n';
const FORBIDDEN = 'alert tcp any any -> any any (msg:"b"; lua:x.lua; sid:2;)\n';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-rule-set-'));
  mkdirSync(join(place, 'sets'));
});
afterEach(() => rmSync(place, {recursive: true}));

const sets = (): string[] => readdirSync(join(place, 'sets')).sort();
/** Takes every rule, and logs as Suricata 7 does. */
const TAKES_ALL = `
for file in each/*.rules; do echo "Config Loading rule file: /proc/self/cwd/$file"; done >rules.log
set -- each/*.rules
echo "Info $# rule files processed. $# rules successfully loaded, 0 rules failed, 0" >>rules.log`;

/** The rule file with this text, and a Suricata that takes all rules, or ends without a word. */
const prepared = (rules: string | Buffer, exitCode: number, signal: AbortSignal) => {
  const [file, path] = [join(place, 'my.rules'), join(place, 'suricata')];
  writeFileSync(file, rules);
  const logs = exitCode === 0 ? TAKES_ALL : '';
  writeFileSync(path, `#!/bin/sh\npwd >${join(place, 'ran-in')}${logs}\nexit ${exitCode}\n`, {mode: 0o755});
  const options: CompileOptions = {
    dir: join(place, 'sets'),
    suricata: {path, version: '7.0.10', major: 7, landlock: true},
    runAs: undefined,
    homeNet: 'any',
    vars: {},
    includes: [],
    cacheDir: join(place, 'cache'),
    clock: {now: () => 0},
    decodeVxlan: false,
    patternMatcher: 'ac-ks',
    policy: DEFAULT_RULE_POLICY,
    timers: {after: () => ({cancel: () => {}})},
    limits: SENSOR_LIMITS,
    signal,
  };
  return {spec: plainRuleSet([file]), options};
};
const compile = (rules: string | Buffer, exitCode: number, signal = new AbortController().signal) => {
  const {spec, options} = prepared(rules, exitCode, signal);
  return compileRuleSet(spec, options);
};

test.each([
  ['refused', 0, 'rule-error'],
  ['without a verdict', 1, 'start-failed'],
])('a set of that version which is there stays as it is when its rules are %s', async (_, exitCode, code) => {
  const refuse = () => expect(compile(TAKEN + FORBIDDEN, exitCode)).rejects.toMatchObject({code});
  await refuse();
  expect(sets()).toEqual([]);
  const version = basename(readFileSync(join(place, 'ran-in'), 'utf8').trim()).replace('.verify', '');
  mkdirSync(join(place, 'sets', version));
  writeFileSync(join(place, 'sets', version, 'verified.json'), '{}');
  await refuse();
  expect([sets(), readdirSync(join(place, 'sets', version))]).toEqual([[version], ['verified.json']]);
});

test('F-07 a Suricata that says nothing of the rules has not taken them', async () => {
  await expect(compile(TAKEN, 1)).rejects.toMatchObject({
    code: 'start-failed',
    message: 'Suricata could not verify the rules: exit code 1',
  });
});

test('nothing is left of a verification that was given up', async () => {
  await expect(compile(TAKEN + FORBIDDEN, 0, AbortSignal.abort())).rejects.toMatchObject({code: 'aborted'});
  expect(sets()).toEqual([]);
});

test('what a crash left of a verification goes with the next set, and is not counted: two older sets stay', async () => {
  for (const [at, name] of ['oldest', 'older', 'old', 'crashed.verify'].entries()) {
    const folder = join(place, 'sets', name);
    mkdirSync(folder);
    utimesSync(folder, at + 1, at + 1);
  }
  const {version} = await compile(TAKEN, 0);
  expect(sets()).toEqual([version, 'old', 'older'].sort());
});

test('bytes of a comment that are no UTF-8 do no harm; Suricata gets the rules, one a line', async () => {
  const rules = Buffer.concat([Buffer.from('# caf\xe9\n', 'latin1'), Buffer.from(TAKEN.replace('"a"', '"naïve"'))]);
  const {folder, files, signatures} = await compile(rules, 0);
  expect(readFileSync(join(folder, files[0]?.name ?? ''), 'utf8')).toBe(TAKEN.replace('"a"', '"naïve"'));
  expect(signatures.get('1:1')).toMatchObject({name: 'naïve'});
});

test('F-07 byte order mark, line ends of Windows, continued lines and a long comment: Suricata gets the rules alone', async () => {
  const second = TAKEN.replace('sid:1', 'sid:2').trim();
  const text = `\ufeff${TAKEN.trim()}\r\n# ${'c'.repeat(9000)}\r\n${second.replace('content', '\\\r\ncontent')} \\`;
  const {folder, files, report} = await compile(text, 0);
  expect(readFileSync(join(folder, files[0]?.name ?? ''), 'utf8')).toBe(`${TAKEN}${second}\n`);
  expect(report).toMatchObject({given: 2, loaded: 2});
});

test('F-07 a rule that Suricata would read in pieces is refused with its length', async () => {
  const long = TAKEN.replace('"a"', `"${'a'.repeat(8192)}"`);
  const [fit, over] = [8191, 8192].map(length =>
    long.replace(/a{8192}/, 'a'.repeat(8192 - (long.trim().length - length))),
  );
  expect(await compile(fit ?? '', 0)).toMatchObject({report: {loaded: 1}});
  const reason = 'the rule has 8192 bytes, and Suricata reads at most 8191: shorten it or split it';
  await expect(compile(`${TAKEN}${over}`, 0)).rejects.toMatchObject({
    refusal: {report: {refused: {count: 1, listed: [{number: 2, line: 2, reason}]}}},
  });
});

test('a rule that is no UTF-8, which Suricata refuses without its line, is named with its line and the way out', async () => {
  const rules = Buffer.from(
    `# caf\xe9\n${TAKEN}${TAKEN.replace('"a"', '"caf\xe9"').replace('sid:1', 'sid:3')}`,
    'latin1',
  );
  const reason = expect.stringMatching(/not valid UTF-8: write bytes of a content as hex \(\|E9\|\)/);
  const withSpace = Buffer.from(`${TAKEN.trim()}\xa0\n`, 'latin1');
  const refusedAt = (line: number) => ({code: 'rule-error', refusal: {report: {refused: {listed: [{line, reason}]}}}});
  await expect(compile(withSpace, 0)).rejects.toMatchObject(refusedAt(1));
  await expect(compile(rules, 0)).rejects.toMatchObject(refusedAt(3));
});

test('a set that was verified is read back with its report, a damaged one is made again', async () => {
  const {spec, options} = prepared(TAKEN, 0, new AbortController().signal);
  const made = await compileRuleSet(spec, options);
  rmSync(join(place, 'ran-in'));
  const again = await compileRuleSet(spec, options);
  expect([again.version, again.report, again.signatures]).toEqual([made.version, made.report, made.signatures]);
  expect(await loadRuleSet(made.version, spec, options)).toMatchObject({
    report: made.report,
    signatures: made.signatures,
  });
  expect(existsSync(join(place, 'ran-in'))).toBe(false);
  rmSync(join(made.folder, made.files[0]?.name ?? ''));
  expect(await loadRuleSet(made.version, spec, options)).toBeUndefined();
  expect((await compileRuleSet(spec, options)).report).toEqual(made.report);
  expect(existsSync(join(place, 'ran-in'))).toBe(true);
});

test('F-11 refused rules are not in the files that the sensors load, and a set that was taken is judged again', async () => {
  const taken = Array.from({length: 9}, (_, at) => TAKEN.replace('sid:1', `sid:${at + 1}`));
  const {spec, options} = prepared(
    [...taken.slice(0, 4), FORBIDDEN, ...taken.slice(4)].join(''),
    0,
    new AbortController().signal,
  );
  const set = await compileRuleSet(spec, options);
  expect(readFileSync(join(set.folder, set.files[0]?.name ?? ''), 'utf8')).toBe(taken.join(''));
  expect(set.report).toMatchObject({given: 10, loaded: 9, refused: {count: 1, listed: [{number: 5, line: 5}]}});
  expect(set.signatures.size).toBe(9);
  const strict = {...options, policy: {...options.policy, strict: true}};
  await expect(compileRuleSet(spec, strict)).rejects.toMatchObject({code: 'rule-error'});
  await expect(loadRuleSet(set.version, spec, strict)).rejects.toMatchObject({code: 'rule-error'});
  expect(sets()).toEqual([set.version]);
});

test('rules that are indented are named, other indented lines and continuations are not', async () => {
  const {indented, signatures} = await compile(
    `${TAKEN} note\n ${TAKEN}\t${TAKEN}# alert\nalert tcp any any -> any any (msg:"b"; \\\n  drop x; sid:2;)\n`,
    0,
  );
  expect(indented).toEqual([3, 4].map(line => ({file: join(place, 'my.rules'), line, id: '1:1'})));
  expect([...signatures.keys()]).toEqual(['1:1', '1:2']);
});

test('a set with indented rules is put in force, and the log names them', async () => {
  const warned: object[] = [];
  const ignore = () => {};
  const log = {debug: ignore, info: ignore, warn: (fields: object) => void warned.push(fields), error: ignore};
  const {spec, options} = prepared(`${TAKEN} ${TAKEN.replace('sid:1', 'sid:2')}`, 0, new AbortController().signal);
  const rules = new RulesInForce({
    ...{id: 'default', dir: place, spec, compile: options, log, reportsRefusal: false},
    ...{gate: new Gate(1), keep: async () => []},
  });
  expect(await rules.ready()).toMatchObject({rules: 1});
  const lines = [`${join(place, 'my.rules')}, line 2`];
  expect(warned).toEqual([{lines}]);
  await rules.replace(spec, async () => {});
  expect(warned).toEqual([{lines}, {lines}]);
});

test.each([
  ['# none\n', /detect nothing; add a rule, or leave out --rules to use the bundled ones$/],
  [` ${TAKEN}`, /detect nothing \(Suricata skips an indented rule: .*my\.rules, line 1; remove the indentation\)$/],
  [` ${TAKEN}`.repeat(99), /skips 99 indented rules, the first in .*my\.rules, line 1; remove the indentation/],
  [` ${TAKEN}`.repeat(101), /skips 100 or more indented rules/],
])('a set without a rule in force is refused, and indented rules are reported', async (rules, message) => {
  await expect(compile(rules, 0)).rejects.toMatchObject({code: 'no-rules', message: expect.stringMatching(message)});
});

test('a file with a NUL byte is refused as no text, in one line', async () => {
  const picture = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.alloc(64),
    Buffer.from('\n'.repeat(500)),
  ]);
  const message = `Rule file ${join(place, 'my.rules')}: not a text file: it contains a NUL byte`;
  await expect(compile(picture, 0)).rejects.toMatchObject({code: 'rule-file', message});
  expect(sets()).toEqual([]);
});

test('F-01 a rule file whose name is as long as a name may be is taken, under a shorter name', async () => {
  const {options} = prepared(TAKEN, 0, new AbortController().signal);
  const long = join(place, `${'x'.repeat(255 - '.rules'.length)}.rules`);
  writeFileSync(long, TAKEN);
  const {files} = await compileRuleSet(plainRuleSet([long]), options);
  expect(files).toEqual([{name: expect.stringMatching(/^00-x+\.rules$/), source: long}]);
});
