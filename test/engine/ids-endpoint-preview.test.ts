// SPDX-License-Identifier: Apache-2.0
// An IDS endpoint that no server would take fails in preview, by its field, without a server; what a server warns of is shown.
import {startFakeIdsServer} from '@palisade/client/testing';
import {createCloudnativeProvider, nodeProviderHost} from '@palisade/provider';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {EngineBench} from './support/engine-bench.ts';

// Every step starts a program: on a busy machine that takes its time.
vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});

let bench: EngineBench;
beforeEach(async () => {
  bench = new EngineBench();
  bench.providers = {cloudnative: () => createCloudnativeProvider(nodeProviderHost({}))};
  await bench.init();
});
afterEach(() => bench.remove());

const declare = (more: object): void =>
  bench.program(`
new pulumi.CustomResource('cloudnative:intrusion/v1:Endpoint', 'guard', ${JSON.stringify({
    endpointId: 'guard',
    project: 'p',
    location: 'local',
    network: 'n',
    severity: 'LOW',
    ...more,
  })});`);

test('F-28 preview warns of an exception that may be an id of another product', async () => {
  declare({threatExceptions: ['T-1']});
  const ran = await bench.run('preview');
  expect(ran.code, ran.all).toBe(0);
  expect(ran.err).toMatch(
    /warning: .*property threatExceptions\[0\] value \{T-1\} has a problem: "T-1" is not a threat/,
  );
});

test('43-6 up shows what the server warns of: an exception that matches no signature', async () => {
  await using server = await startFakeIdsServer();
  bench.providers = {cloudnative: () => createCloudnativeProvider(nodeProviderHost({PALISADE_SERVER: server.url}))};
  server.behaviour.warning = 'warning: threatExceptions: "1:999" matches no signature of the active rule set';
  const shown = /warning: .*Endpoint resource 'guard' has a problem: threatExceptions: "1:999" matches no signature/;
  for (const more of [{threatExceptions: ['1:999']}, {threatExceptions: ['1:999'], description: 'changed'}]) {
    declare(more);
    const ran = await bench.run('up', '--yes', '--skip-preview');
    expect(ran.code, ran.all).toBe(0);
    expect(ran.err).toMatch(shown);
  }
});

test.each([
  [{network: 'foo/bar'}, /property network value .* has a problem: "foo\/bar" is not the name of a network: use NAME/],
  [
    {threatExceptions: ['1:2', 'foo']},
    /property threatExceptions\[1\] value .* has a problem: "foo" is not a threat id/,
  ],
  [{description: 'x'.repeat(65_537)}, /property description value .* has a problem: must be no longer than 65536/],
])('F-28 preview and up refuse an endpoint whose field is wrong', async (more, refusal) => {
  declare(more);
  for (const words of [['preview'], ['up', '--yes', '--skip-preview']]) {
    const ran = await bench.run(...words);
    expect(ran.code, ran.all).toBe(1);
    expect(ran.err).toMatch(refusal);
  }
  expect(bench.resource('guard')).toBeUndefined();
});
