// SPDX-License-Identifier: Apache-2.0
/** metadata.generation of Endpoints. */
import {describe, expect, test} from 'vitest';
import {ENDPOINTS, endpoints, MERGE, startWire, subset} from './support.ts';

describe('generation', () => {
  test('E-136 spec: 1 at first, one more with each change of the subsets, not of metadata', async () => {
    await using wire = await startWire();
    const generations: number[] = [];
    const step = async (method: string, path: string, body: unknown, headers = {}) => {
      generations.push((await wire.send(method, path, {body, headers})).body.metadata.generation);
    };
    await step('POST', ENDPOINTS, endpoints('a', [subset()]));
    await step('PUT', `${ENDPOINTS}/a`, endpoints('a', [subset()]));
    await step('PATCH', `${ENDPOINTS}/a`, {metadata: {labels: {x: 'y'}}}, {'content-type': MERGE});
    await step('PATCH', `${ENDPOINTS}/a`, {subsets: [subset({ip: '10.0.0.2'})]}, {'content-type': MERGE});
    await step('PUT', `${ENDPOINTS}/a`, endpoints('a'));
    const held = {metadata: {finalizers: ['example.com/x']}};
    await step('PATCH', `${ENDPOINTS}/a`, held, {'content-type': MERGE});
    await step('DELETE', `${ENDPOINTS}/a`, undefined);
    expect(generations).toEqual([1, 1, 1, 2, 3, 3, 3]);
  });

  test('E-135 E-136 kubernetes: not counted', async () => {
    await using wire = await startWire({compat: 'kubernetes'});
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()])});
    const put = await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [], {generation: 9})});
    expect([created.body.metadata.generation, put.body.metadata.generation]).toEqual([undefined, undefined]);
  });
});
