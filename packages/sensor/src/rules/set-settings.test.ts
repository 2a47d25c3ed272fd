// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {type GivenSettings, judgeSettings, settingFaults} from './set-settings.ts';

test('43-2 what is wrong whatever the rules are is said before a start, each fault in a line that begins with its flag', async () => {
  const vars = {LATER: 'any'};
  expect(await settingFaults({vars, includes: [], thresholds: []})).toEqual([]);
  expect(await settingFaults({vars, includes: ['/none.yaml'], thresholds: ['/none.config']})).toEqual([
    '--suricata-include /none.yaml: no such file',
    '/none.config: no such file',
  ]);
});

test('43-2 what Suricata refuses is blamed on what it came with: variables, then sections, then thresholds', async () => {
  const given: GivenSettings = {
    variables: {address: {A: 'any'}, port: {}},
    sections: {flow: {memcap: 'x'}},
    includes: ['/i.yaml'],
    thresholds: [{file: '/t', line: 7, text: 'suppress'}],
    side: new Map(),
  };
  const judged = (refuses: (asked: {vars: boolean; sections: boolean; thresholds: string}) => boolean) =>
    judgeSettings(given, async ({variables, sections}, thresholds) =>
      refuses({vars: 'A' in variables.address, sections: 'flow' in sections, thresholds}) ? 'no' : undefined,
    );
  await judged(() => false);
  await expect(judged(({vars}) => vars)).rejects.toThrow(/^Suricata refuses the variables of --var: no$/);
  await expect(judged(({sections}) => sections)).rejects.toThrow(
    /^--suricata-include \/i\.yaml: Suricata refuses it: no$/,
  );
  await expect(judged(({thresholds}) => thresholds !== '')).rejects.toThrow(/^\/t, line 7: no$/);
});
