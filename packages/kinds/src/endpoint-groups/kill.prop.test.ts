// SPDX-License-Identifier: Apache-2.0
/** 46: whenever the server is killed, its next start leaves the Endpoints as they are: nobody is taken out or in. */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {GroupsApi, ips} from './testing/groups-api.ts';

const MEMBERS = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
const ip = fc.constantFrom(...MEMBERS);
const step = fc.oneof(
  {weight: 6, arbitrary: fc.record({type: fc.constant('result' as const), ip, passed: fc.boolean()})},
  {weight: 4, arbitrary: fc.record({type: fc.constant('wait' as const), ms: fc.constantFrom(10, 60, 350)})},
  {weight: 1, arbitrary: fc.record({type: fc.constant('drain' as const), draining: fc.boolean()})},
);
/** Without and with a panic. */
const thresholds = fc.constantFrom(0, 0, 50);

test('46-2 a kill at any time changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, {maxLength: 25}), thresholds, async (steps, panicThresholdPercent) => {
      await using api = await GroupsApi.open();
      const ports = [
        {name: 'http', port: 80, check: {failureThreshold: 1}},
        {name: 'x', port: 81},
      ];
      await api.group({members: ips(...MEMBERS.slice(1)), selector: {}, ports, panicThresholdPercent});
      await api.register('r', {addresses: MEMBERS.slice(0, 1)});
      for (const each of steps) {
        if (each.type === 'result') api.prober.report(`${each.ip}:`, each.passed ? '' : 'refused');
        else if (each.type === 'wait') api.time.advance(each.ms);
        else await api.registrations.patch('r', 'merge', {spec: {draining: each.draining}});
        await api.work();
      }
      // What a rest holds back of draining is stored: the next server composes it, so this one has to before.
      if (steps.some(({type}) => type === 'drain')) api.time.advance(60);
      await api.work();
      const before = (await api.endpoints.get('web')).subsets;
      await api.restart({isKilled: true});
      expect((await api.endpoints.get('web')).subsets).toEqual(before);
    }),
    {numRuns: 200},
  );
}, 120_000);
