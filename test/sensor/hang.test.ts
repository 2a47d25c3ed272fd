// SPDX-License-Identifier: Apache-2.0
/** A Suricata that hangs: when it is noticed, what is said of it, and since when nothing was inspected. Real Suricata. */
import type {CaptureDriver} from '@palisade/sensor';
import {describe, expect, test} from 'vitest';
import {freeze, Lab, LabFolder, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {distinctHits, hit, SEVERITY_RULES} from './lab/rules.ts';

const LIMIT_MS = 30_000;
const DRIVERS: readonly CaptureDriver[] = ['afpacket', 'afpacket-bpf', 'relay'];
const MEANWHILE = {
  afpacket: 'packets that arrive meanwhile are not inspected and are counted as dropped',
  'afpacket-bpf': 'packets that arrive meanwhile are not inspected and are counted as dropped',
  relay: 'packets are queued meanwhile',
} as const;

describe.skipIf(whyNot !== undefined)(`a Suricata that hangs${skipReason}`, () => {
  test.each(DRIVERS)(
    '43-3 %s: DEGRADED long before it is ended, by a few packets; the blind time begins when it stopped reading',
    async driver => {
      using folder = new LabFolder();
      await using lab = new Lab();
      const limits = {
        watchMs: 500,
        stallSuspectMs: 1_000,
        stallMs: 5_000,
        restartFirstMs: 2_000,
        lossRatioMax: 1,
        lossSteadyRatioMax: 1,
      };
      const rules = [folder.file('a.rules', SEVERITY_RULES)];
      await lab.ask('create', folder.options({rules, driver, limits}));
      const spec = newSpec();
      await lab.ask('start', spec);
      await lab.send(spec, [hit('one')]);
      await lab.ask('until', {alerts: 1}, LIMIT_MS);
      const {pid, status} = await lab.health(spec);
      expect(status).toBe('READY');
      const {endpoint} = spec;
      const frozenAt = Date.now();
      await freeze(pid ?? 0);
      await lab.send(spec, distinctHits(20, 41));
      const suspected = '^Suricata has not read packets for \\d s; it is restarted after 5 s$';
      await lab.ask('until', {reason: suspected, status: 'DEGRADED', endpoint}, LIMIT_MS);
      const during = await lab.health(spec);
      expect([during.pid, during.blind]).toEqual([pid, []]);
      const down = `^Suricata stopped reading at \\S+ and is being restarted; ${MEANWHILE[driver]}$`;
      await lab.ask('until', {reason: down, endpoint}, LIMIT_MS);
      expect(JSON.stringify((await lab.health(spec)).reasons)).not.toContain('SIGKILL');
      await lab.ask('until', {status: 'READY', endpoint, restarts: 1}, LIMIT_MS);
      const {blind} = await lab.health(spec);
      expect(blind.map(({why}) => why)).toEqual(['Suricata stopped reading and was restarted']);
      const fromMs = Date.parse(blind[0]?.from ?? '');
      const lengthMs = Date.parse(blind[0]?.until ?? '') - fromMs;
      expect(Math.abs(fromMs - frozenAt)).toBeLessThan(2_500);
      expect(lengthMs).toBeGreaterThan(limits.stallMs);
    },
  );

  test.each(DRIVERS)('43-3 %s: one that has nothing to read is not taken for one that hangs', async driver => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const limits = {watchMs: 200, stallSuspectMs: 1_000, stallMs: 3_000};
    await lab.ask('create', folder.options({rules: [folder.file('a.rules', SEVERITY_RULES)], driver, limits}));
    const spec = newSpec();
    await lab.ask('start', spec);
    const reasons = lab.ask('until', {reason: 'has not read packets', endpoint: spec.endpoint}, 5_000);
    await expect(reasons).rejects.toThrow('not within');
    expect(await lab.health(spec)).toMatchObject({status: 'READY', restarts: 0, blind: []});
  });
});
