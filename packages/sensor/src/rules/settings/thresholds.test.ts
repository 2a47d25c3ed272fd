// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {NO_VARIABLES} from '../../suricata/settings/variable-groups.ts';
import {idleThresholds, readThresholds, refusedThresholds, thresholdLines, thresholdText} from './thresholds.ts';

const GOOD = [
  'suppress gen_id 1, sig_id 1, track by_src, ip [10.0.0.1,$HOME_NET]',
  'suppress gen_id 1, sig_id 2',
  'threshold gen_id 1, sig_id 3, type limit, track by_src, count 1, seconds 60',
  'rate_filter gen_id 1, sig_id 1, track by_rule, count 5, seconds 60, new_action alert, timeout 30',
];

test('43-2 each faulty line is named with file and line', async () => {
  const place = mkdtempSync(join(tmpdir(), 'palisade-thresholds-'));
  const path = join(place, 'threshold.config');
  const faulty = [
    'nonsense',
    'threshold gen_id 1, sig_id 1, type limitless, track by_src, count 1, seconds 60',
    'suppress gen_id 1, sig_id 1, \\\r\n track by_src, ip $BAD',
    'suppress gen_id 1, sig_id 1, track by_us, ip 10.0.0.1',
  ];
  writeFileSync(path, ['# note', '', ...GOOD, ...faulty].join('\n'));
  const {lines, faults} = await readThresholds([path, join(place, 'none')], NO_VARIABLES);
  expect(lines.map(({line}) => line)).toEqual([3, 4, 5, 6, 7, 8, 9, 11]);
  expect(faults).toEqual([
    `${join(place, 'none')}: no such file`,
    expect.stringMatching(/threshold\.config, line 7: must be a threshold, rate_filter or suppress with gen_id/),
    expect.stringMatching(/line 8: "limitless" is not allowed after type: it must be limit, threshold or both$/),
    expect.stringMatching(/line 9: the address variable \$BAD is not defined: set it with --var BAD=…$/),
    expect.stringMatching(/line 11: "by_us" is not allowed after track: it must be by_src, by_dst or by_either$/),
  ]);
  rmSync(place, {recursive: true});
});

test('43-2 what Suricata refuses without a line is found, each of several', async () => {
  const lines = thresholdLines('t', [...GOOD, 'x1', ...GOOD, 'x2', ...GOOD].join('\n'));
  const refusal = async (text: string) => /^x\d/m.exec(text)?.[0];
  expect(await refusedThresholds(lines, refusal)).toEqual(['t, line 5: x1', 't, line 10: x2']);
  expect(
    await refusedThresholds(
      lines.filter(({text}) => !text.startsWith('x')),
      refusal,
    ),
  ).toEqual([]);
});

test('43-2 a line about a rule that is not active is a warning; one about all rules is not', () => {
  const lines = thresholdLines('t', `${GOOD.join('\n')}\nsuppress gen_id 0, sig_id 0, track by_src, ip 10.0.0.1`);
  expect(idleThresholds(lines, id => id !== '1:3')).toEqual(['t, line 3: there is no active rule 1:3']);
  expect(thresholdText(lines).split('\n')).toHaveLength(6);
});

test.each([
  [
    'suppress gen_id 1, sig_id 1, track by_srcx, ip 10.0.0.1',
    /^"by_srcx" is not allowed after track: it must be by_src/,
  ],
  [
    'suppress gen_id 1, sig_id 1, trac by_src, ip 10.0.0.1',
    /^"trac" is not allowed there: suppress must continue with track/,
  ],
  ['suppress gen_id 1, sig_id 1, track by_src', /^suppress ends where this must follow: ip \(addresses such as/],
  [
    'suppress gen_id 1, sig_id 1 track by_src, ip 1.2.3.4',
    /^"track by_src, ip 1.2.3.4": a comma must be in front of it/,
  ],
  ['event_filter gen_id 1, sig_id 1, type limit, track by_src, count x, seconds 60', /^"x" is not allowed after count/],
  ['threshold gen_id 1, sig_id 1, type limit, track by_src, count 1, seconds 60, x 1', /^", x 1" is too much/],
])('43-2 the wrong word of a threshold line is quoted with what is allowed there: %s', async (line, words) => {
  const place = mkdtempSync(join(tmpdir(), 'palisade-thresholds-'));
  writeFileSync(join(place, 't'), line);
  const {faults} = await readThresholds([join(place, 't')], NO_VARIABLES);
  rmSync(place, {recursive: true});
  expect(faults.map(fault => fault.replace(/^.*line 1: /, ''))).toEqual([expect.stringMatching(words)]);
});
