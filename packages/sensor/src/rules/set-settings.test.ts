// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {type GivenSettings, judgeSettings, settingFaults} from './set-settings.ts';

test('43-2 what is wrong whatever the rules are is said before a start, each fault in a line that begins with its flag', async () => {
  const nothing = {vars: {}, includes: [], thresholds: [], disable: [], enable: []};
  expect(await settingFaults(nothing)).toEqual([]);
  const vars = {WEB_PORTS: '80;', MINE: '$LATER', LATER: 'any', HOME_NET: 'any'};
  const more = {includes: ['/none.yaml'], thresholds: ['/none.config'], disable: ['sid 1', '1:2'], enable: ['re:*']};
  expect(await settingFaults({vars, ...more})).toEqual([
    expect.stringMatching(/^--var WEB_PORTS: "80;" is not a value: it must be /),
    '--var HOME_NET: your networks are set with --home-net',
    '--suricata-include /none.yaml: no such file',
    '/none.config: no such file',
    '--disable-sid sid 1: must be SID, GID:SID, group:FILE or re:EXPRESSION',
    expect.stringMatching(/^--enable-sid re:\*: not a regular expression/),
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
