// SPDX-License-Identifier: Apache-2.0
/** The look-ups of the SDK, called by a TypeScript program. Ref: requirement E-030. */
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {ENDPOINTS, endpoints, startWire, subset, type Wire} from '../wire/support.ts';
import {EngineBench} from './support/engine-bench.ts';

vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});

let bench: EngineBench;
let wire: Wire;
beforeEach(async () => {
  wire = await startWire();
  bench = new EngineBench({passphrase: 'check', runtime: 'runtime: nodejs'});
  bench.write('Pulumi.yaml', 'name: proj\nruntime: nodejs\nmain: index.ts\n');
  bench.usePlatform(wire.url);
  await bench.init();
});
afterEach(async () => {
  bench.remove();
  await wire[Symbol.asyncDispose]();
});

test('E-030 a look-up goes to the configured provider, in a preview too; a missing object is told', async () => {
  await wire.send('POST', ENDPOINTS, {body: endpoints('shop', [subset({ip: '10.0.0.9'})])});
  bench.write('index.ts', LOOK_UP('shop'));
  const preview = await bench.run('preview', '--non-interactive');
  expect(preview.code, preview.all).toBe(0);
  await bench.up();
  const output = await bench.run('stack', 'output', '--json');
  expect(JSON.parse(output.out)).toEqual({ip: '10.0.0.9'});
  bench.write('index.ts', LOOK_UP('absent'));
  const failed = await bench.up(1);
  expect(failed.all).toContain('invocation of platform:core/v1:getEndpoints returned an error');
  expect(failed.all).toContain('absent');
});

test('E-030 a look-up through a given provider whose arguments a preview does not know, and a failure that the program catches', async () => {
  bench.write(
    'index.ts',
    `
import * as platform from '@palisade/platform';
const provider = new platform.Provider('given', {server: '${wire.url}'});
const made = new platform.core.v1.Endpoints('made', {metadata: {namespace: 'one'}}, {provider});
const name = made.metadata.apply(metadata => metadata.name!);
export const found = platform.core.v1.getEndpointsOutput({name, namespace: 'one'}, {provider}).id.apply(id => id.startsWith('one/made'));
export const caught = platform.core.v1.getEndpoints({name: 'absent', namespace: 'one'}).then(() => 'no', () => 'yes');
`,
  );
  const preview = await bench.run('preview', '--non-interactive');
  expect(preview.code, preview.all).toBe(0);
  await bench.up();
  expect(JSON.parse((await bench.run('stack', 'output', '--json')).out)).toEqual({found: true, caught: 'yes'});
});

const LOOK_UP = (name: string): string => `
import * as platform from '@palisade/platform';
const found = platform.core.v1.getEndpointsOutput({name: '${name}', namespace: 'one'});
export const ip = found.apply(one => one.subsets?.[0]?.addresses?.[0]?.ip);
`;
