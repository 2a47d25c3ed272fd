// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {SEVERITIES} from '@palisade/ids-wire';
import {beforeAll, describe, expect, test} from 'vitest';
import type {EveAlert} from '../eve/eve-record.ts';
import {SENSOR_LIMITS} from '../limits.ts';
import {findSuricata} from '../suricata/binary.ts';
import {classtypeNamed} from '../suricata/classifications.ts';
import {DEFAULT_HOME_NET} from '../suricata/home-net.ts';
import {inspectOffline} from '../testing/offline.ts';
import {toPcap} from '../testing/packets.ts';
import {type Pair, RULE_TRAFFIC} from '../testing/rule-traffic-table.ts';
import {BUNDLED_RULES} from './bundled.ts';
import {parseOptions, splitRules, toSignature} from './parse-rule.ts';
import {type CompileOptions, compileRuleSet} from './rule-set.ts';
import {plainRuleSet} from './sources.ts';

const rules = BUNDLED_RULES.flatMap(file => splitRules(readFileSync(file, 'utf8')).map(rule => rule.text));
const signatures = rules.map(rule => toSignature(rule)).filter(signature => signature !== undefined);

const hasSuricata = (): boolean => {
  try {
    execFileSync('suricata', ['-V'], {stdio: 'pipe'});
    return true;
  } catch {
    return false;
  }
};

describe('the bundled rules', () => {
  test('are at least 30, of all five severities, with sids of the private range, none twice', () => {
    expect(rules.length).toBeGreaterThanOrEqual(30);
    expect(signatures).toHaveLength(rules.length);
    expect(new Set(signatures.map(s => s.severity))).toEqual(new Set(SEVERITIES));
    expect(signatures.filter(s => !/^1:9000[1-5]\d\d$/.test(s.id))).toEqual([]);
    expect(new Set(signatures.map(s => s.id)).size).toBe(rules.length);
  });

  test('each has a name, a known classtype, a reference and a revision', () => {
    const bare = rules.filter(rule => {
      const names = new Set(parseOptions(rule).map(option => option.name));
      return !['msg', 'classtype', 'reference', 'rev'].every(name => names.has(name));
    });
    expect(bare).toEqual([]);
    expect(signatures.filter(s => classtypeNamed(s.category) === undefined).map(s => s.id)).toEqual([]);
  });

  test('each has traffic that raises it and a neighbour', () => {
    expect(RULE_TRAFFIC.map(row => `1:${row.sid}`).sort()).toEqual(signatures.map(s => s.id).sort());
  });
});

const pairs = (index: number, kind: number): Pair => ({
  client: `10.${kind}.${index}.1`,
  server: `10.${kind + 1}.${index}.1`,
});
const between = (alerts: readonly EveAlert[], {client, server}: Pair): number[] => [
  ...new Set(
    alerts.filter(a => [a.sourceIp, a.destinationIp].every(ip => ip === client || ip === server)).map(a => a.sid),
  ),
];

describe.skipIf(!hasSuricata())(
  `the bundled rules in one offline run of Suricata${hasSuricata() ? '' : ' (skipped: suricata is not installed)'}`,
  () => {
    let alerts: EveAlert[] = [];
    beforeAll(async () => {
      const frames = RULE_TRAFFIC.flatMap((row, index) => [
        ...row.raises(pairs(index, 10)),
        ...row.neighbour(pairs(index, 20)),
      ]);
      alerts = await inspectOffline(BUNDLED_RULES, toPcap(frames, Date.UTC(2026, 0, 1)));
    }, 60_000);

    test('F-11 every one is in force: Suricata refuses and skips none', async () => {
      const dir = mkdtempSync(join(tmpdir(), 'palisade-bundled-'));
      const options: CompileOptions = {
        ...{
          dir,
          suricata: await findSuricata(),
          runAs: undefined,
          homeNet: DEFAULT_HOME_NET.join(','),
          decodeVxlan: false,
        },
        ...{vars: {}, includes: [], cacheDir: join(dir, 'cache'), clock: {now: () => 0}},
        ...{patternMatcher: 'ac-ks', policy: {strict: true, minLoadedPercent: 100}, limits: SENSOR_LIMITS},
        timers: {after: () => ({cancel: () => {}})},
        signal: new AbortController().signal,
      };
      const none = {count: 0, listed: []};
      const all = {given: rules.length, loaded: rules.length, refused: none, skipped: none, disabled: 0};
      expect((await compileRuleSet(plainRuleSet(BUNDLED_RULES), options)).report).toEqual(all);
      rmSync(dir, {recursive: true});
    });

    test.each(RULE_TRAFFIC.map((row, index) => ({...row, index})))(
      '$sid is raised, and nothing else',
      ({sid, also, index}) => {
        expect(between(alerts, pairs(index, 10)).sort()).toEqual([sid, ...(also ?? [])].sort());
      },
    );

    test.each(RULE_TRAFFIC.map((row, index) => ({...row, index})))('$sid stays silent at $but', ({sid, index}) => {
      expect(between(alerts, pairs(index, 20))).not.toContain(sid);
    });
  },
);
