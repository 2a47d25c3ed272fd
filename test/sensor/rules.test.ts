// SPDX-License-Identifier: Apache-2.0
/** Which rules are in force, and where those that are not are named. Suricata itself is the judge. */
import {describe, expect, test} from 'vitest';
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
  const unknown = "unknown rule keyword 'contentx'.";

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
    const logged = (await lab.ask('logs')).filter(({message}) => message.startsWith('rules are not in force'));
    expect(logged).toEqual([
      {level: 'warn', message: 'rules are not in force: 2 of 10 rules are skipped', fields: {skipped: skippedRules}},
    ]);
  });

  test('F-07 a set of which Suricata skips every rule is not in force', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', lines(skipped(1), skipped(2)))]}));
    expect(await failureOf(lab.ask('ready'))).toMatchObject({
      code: 'no-rules',
      message: expect.stringMatching(/^No rule would be in force: 2 of 2 rules are skipped by Suricata: rule 1 of /),
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
    expect(reasons).toEqual([`1 of 1 rule is refused: rule 1 of ${rules} (line 1): ${unknown.slice(0, -1)}`]);
    await lab.send(spec, [hit('one')]);
    await lab.ask('until', {alerts: 1}, LIMIT_MS);
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
      reasons: [expect.stringMatching(/^rules are missing: Suricata loaded 7 of the 8 rules that it took/)],
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
});
