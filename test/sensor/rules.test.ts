// SPDX-License-Identifier: Apache-2.0
/** Which rules are in force, and where those that are not are named. Suricata itself is the judge. */
import {chmodSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {systemTimers} from '@palisade/apiserver';
import {describe, expect, test} from 'vitest';
import {manyRules} from '../../bench/many-rules.ts';
import {ruleStats} from '../../packages/sensor/src/suricata/command-socket.ts';
import {Lab, LabFailure, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {hit, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 10_000;
const good = (sid: number): string => `alert tcp any any -> any any (msg:"good"; content:"x${sid}"; sid:${sid};)`;
const bad = (sid: number, length = 3): string =>
  `alert tcp any any -> any any (msg:"${'m'.repeat(length)}"; contentx:"x"; sid:${sid};)`;
const skipped = (sid: number, length = 3): string =>
  `alert tcp any any -> any any (msg:"${'m'.repeat(length)}"; requires: version >= 9.9; content:"x"; sid:${sid};)`;
const lines = (...rules: readonly string[]): string => `${rules.join('\n')}\n`;
const series = (count: number, rule: (sid: number) => string): string[] =>
  Array.from({length: count}, (_, at) => rule(1000 + at));

const failureOf = async (work: Promise<unknown>): Promise<LabFailure> => {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof LabFailure) return outcome;
  throw new Error(`it did not fail: ${JSON.stringify(outcome)}`);
};

describe.skipIf(whyNot !== undefined)(`rules in force${skipReason}`, () => {
  const endpointFile = (folder: LabFolder, name: string): string => {
    const place = join(folder.path, 'data', 'endpoints');
    return join(place, readdirSync(place)[0] ?? '', name);
  };
  const unknown = "unknown rule keyword 'contentx'";

  test.each<{name: string; files: readonly string[]; refused: readonly (readonly [file: number, line: number])[]}>([
    {name: 'a rule of 3 kB alone', files: [lines(bad(1, 3_000))], refused: [[0, 1]]},
    {
      name: 'long and short ones',
      files: [lines(good(1), bad(2, 3_000), bad(3), bad(4, 8_000))],
      refused: [
        [0, 2],
        [0, 3],
        [0, 4],
      ],
    },
    {
      name: 'the same text in two files',
      files: [lines(good(1), bad(2, 3_000)), lines('# note', '', good(3), bad(2, 3_000))],
      refused: [
        [0, 2],
        [1, 4],
      ],
    },
    {
      name: 'continued lines and line ends of Windows',
      files: [`${good(1)}\r\n#${bad(2)}\r\n${bad(3, 3_000).replace('contentx', '\\\r\ncontentx')}\r\n${bad(4)}`],
      refused: [
        [0, 3],
        [0, 5],
      ],
    },
  ])('F-07 refused rules are named with file and line: $name', async ({files, refused}) => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const paths = files.map((text, at) => folder.file(`${at}.rules`, text));
    await lab.ask('create', folder.options({rules: paths}));
    const failure = await failureOf(lab.ask('ready'));
    expect(failure.code).toBe('rule-error');
    expect(failure.faults?.map(({file, line, reason}) => [paths.indexOf(file), line, reason])).toEqual(
      refused.map(([file, line]) => [file, line, unknown]),
    );
  });

  test('F-07 each of 1,000 refused rules is named', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = folder.file('many.rules', lines(good(1), ...series(1000, bad)));
    await lab.ask('create', folder.options({rules: [rules]}));
    const failure = await failureOf(lab.ask('ready'));
    expect(failure.message).toMatch(/^1000 of 1001 rules are refused: /);
    expect(failure.faults?.map(({line}) => line)).toEqual(Array.from({length: 1000}, (_, at) => at + 2));
  });

  test('F-07 rules that Suricata skips are listed as skipped, and its own count agrees', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = folder.file('a.rules', lines(SEVERITY_RULES.trim(), skipped(91), skipped(92, 3_000)));
    await lab.ask('create', folder.options({rules: [rules]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const skippedRules = [9, 10].map(number =>
      expect.stringContaining(
        `rule ${number} of ${rules} (line ${number}): Suricata version less than required: version >= 9.9: alert tcp`,
      ),
    );
    expect(await lab.health(spec)).toMatchObject({
      ...{status: 'READY', reasons: [], rulesLoaded: 8, rulesFailed: 0, rulesSkipped: 2},
      ...{skippedRules, refusedRules: []},
    });
    const logged = (await lab.ask('logs')).filter(({message}) => message.startsWith('rules are not active'));
    expect(logged).toEqual([
      {level: 'warn', message: 'rules are not active: 2 of 10 rules are skipped', fields: {skipped: skippedRules}},
    ]);
  });

  test('F-07 a set of which Suricata skips every rule is not in force', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', lines(skipped(1), skipped(2)))]}));
    expect(await failureOf(lab.ask('ready'))).toMatchObject({
      code: 'no-rules',
      message: expect.stringMatching(/^no rule would be active: 2 of 2 rules are skipped; rule 1 of /),
    });
  });

  test('F-07 a live reload with a refused rule of 3 kB leaves the previous rules, and the health names it', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const before = await lab.health(spec);
    const rules = folder.file('b.rules', lines(bad(2, 3_000)));
    expect(await failureOf(lab.ask('setRules', [rules]))).toMatchObject({code: 'rule-error'});
    const {ruleSetVersion, rulesLoaded, reasons} = await lab.health(spec);
    expect([ruleSetVersion, rulesLoaded]).toEqual([before.ruleSetVersion, 8]);
    expect(reasons).toEqual([
      `the newest rule set was refused, the previous one stays active: 1 of 1 rule is refused: no rule would be active; rule 1 of ${rules} (line 1): ${unknown}`,
    ]);
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
  });

  test('F-07 a live reload that Suricata does not make, and says OK to, restarts it with the new rules', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', lines(...series(3, good)))]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const place = endpointFile(folder, '.');
    chmodSync(place, 0); // we are root, Suricata is not
    const {version} = await lab.ask('setRules', [
      folder.file('b.rules', lines(...series(3, bad).map(text => text.replace('contentx', 'content')))),
    ]);
    chmodSync(place, 0o700);
    await lab.ask('until', {status: 'READY', endpoint: spec.endpoint, restarts: 1}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({ruleSetVersion: version, rulesLoaded: 3, reasons: []});
    const logged = (await lab.ask('logs')).filter(({message}) => message.startsWith('live rule reload failed'));
    expect(logged).toEqual([
      expect.objectContaining({
        fields: expect.objectContaining({error: expect.stringMatching(/^Suricata kept its previous rules/)}),
      }),
    ]);
  });

  test('F-07 a rule whose text reads like the mark of a start does not make a sensor ready early', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const text = (rev: number): string =>
      `alert tcp any any -> any any (msg:"Engine started"; content:"x"; sid:1; rev:${rev};)`;
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', lines(text(1), text(2)))]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    expect(await lab.health(spec)).toMatchObject({status: 'READY', rulesLoaded: 2});
  });

  test('F-07 a Suricata that loads fewer rules than it took is DEGRADED, with the figures', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const drops = '[ -e 00-a.rules ] && grep -v "sid:3;" 00-a.rules >fewer && mv -f fewer 00-a.rules';
    const suricata = folder.file('fewer', `#!/bin/sh\n${drops}\nexec suricata "$@"\n`, 0o755);
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], suricata}));
    const spec = newSpec();
    await lab.ask('start', spec);
    expect(await lab.health(spec)).toMatchObject({
      status: 'DEGRADED',
      reasons: [expect.stringMatching(/^rules are missing: Suricata loaded 7 of the 8 rules that it accepted/)],
    });
  });

  test('F-07 a rule at which Suricata dies is named', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const dies = 'echo "Config Loading rule file: /proc/self/cwd/each/0000001.rules" >rules.log; kill -SEGV $$';
    const suricata = folder.file('dies', `#!/bin/sh\ncase "$*" in *-T*) ${dies};; esac\nexec suricata "$@"\n`, 0o755);
    const rules = folder.file('a.rules', lines(good(1), '', good(2)));
    await lab.ask('create', folder.options({rules: [rules], suricata}));
    expect(await failureOf(lab.ask('ready'))).toMatchObject({
      code: 'start-failed',
      message: `Suricata could not verify the rules, at rule 2 of ${rules} (line 3): signal SIGSEGV`,
    });
  });

  test('F-11 bad rules among thousands are left out and listed; the sensor has every other one', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = manyRules(3000).trim().split('\n');
    const worst = [
      bad(1),
      good(2).replace('content', 'lua:x.lua; content'),
      bad(3, 3_000),
      rules[0] ?? '',
      bad(5, 20_000),
    ];
    for (const [at, rule] of worst.entries()) rules.splice(500 * (at + 1), 0, rule);
    const path = folder.file('et.rules', lines(SEVERITY_RULES.trim(), ...rules, skipped(9)));
    folder.file('verified', '', 0o666);
    const counts = `case "$*" in *-T*) echo >>${folder.path}/verified;; esac`;
    const suricata = folder.file('counts', `#!/bin/sh\n${counts}\nexec suricata "$@"\n`, 0o755);
    await lab.ask('create', folder.options({rules: [path], suricata}));
    const spec = newSpec();
    await lab.ask('start', spec);
    await lab.ask('start', newSpec());
    const health = await lab.health(spec);
    expect(health).toMatchObject({status: 'READY', rulesLoaded: 3008, rulesFailed: 5, rulesSkipped: 1});
    expect(health.reasons).toEqual([expect.stringMatching(/^5 of 3014 rules are refused: rule 509 of .* and 2 more$/)]);
    expect(health.refusedRules.map(line => /^rule (\d+) of .* \(line \1\): (.{12})/.exec(line)?.slice(1))).toEqual([
      ['509', 'unknown rule'],
      ['1009', '"lua" runs c'],
      ['1509', 'unknown rule'],
      ['2009', 'duplicate si'],
      ['2509', 'the rule has'],
    ]);
    expect(health.skippedRules).toEqual([expect.stringContaining(`rule 3014 of ${path} (line 3014)`)]);
    const inForce = readFileSync(endpointFile(folder, '00-et.rules'), 'utf8');
    expect([inForce.split('\n').length - 1, /contentx|lua:|requires:/.test(inForce)]).toEqual([3008, false]);
    expect(await ruleStats(endpointFile(folder, '.'), systemTimers, LIMIT_MS)).toEqual({
      ...{loaded: 3008, failed: 0, skipped: 0},
    });
    // Once with all rules, once with those that are left; not for each endpoint.
    expect(readFileSync(join(folder.path, 'verified'), 'utf8')).toBe('\n\n');
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
  });

  test('F-11 a live reload takes a set with few bad rules, and refuses one with too many', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const rules = series(20, good);
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', lines(...rules))]}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const few = folder.file('few.rules', lines(bad(1), ...rules));
    const {version} = await lab.ask('setRules', [few]);
    const taken = {ruleSetVersion: version, rulesLoaded: 20, rulesFailed: 1};
    const fewRefused = `1 of 21 rules is refused: rule 1 of ${few} (line 1): ${unknown}`;
    expect(await lab.health(spec)).toMatchObject({...taken, status: 'READY', reasons: [fewRefused]});
    const many = folder.file('many.rules', lines(bad(1), bad(2), bad(3), ...rules));
    const failure = await failureOf(lab.ask('setRules', [many]));
    const words = '3 of 23 rules are refused: 86.9 % of the rules load, at least 90 % are required; rule 1 of ';
    expect([failure.code, failure.message.slice(0, words.length)]).toEqual(['rule-error', words]);
    expect(await lab.health(spec)).toMatchObject({
      ...taken,
      reasons: [fewRefused, expect.stringContaining(`stays active: ${failure.message}`)],
    });
  });

  test('F-11 a strict host refuses a set with one bad rule, also one that it took when it was not strict', async () => {
    using folder = new LabFolder();
    const rules = [folder.file('a.rules', lines(bad(1), ...series(20, good)))];
    {
      await using lab = new Lab();
      await lab.ask('create', folder.options({rules}));
      expect(await lab.ask('ready')).toMatchObject({rules: 20});
    }
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules, rulePolicy: {strict: true, minLoadedPercent: 90}}));
    expect(await failureOf(lab.ask('ready'))).toMatchObject({
      code: 'rule-error',
      message: expect.stringMatching(/^1 of 21 rules is refused: strict mode allows no refused rule; rule 1 of /),
    });
  });
});
