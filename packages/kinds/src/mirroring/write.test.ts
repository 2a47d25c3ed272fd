// SPDX-License-Identifier: Apache-2.0
/** What happens to slices that somebody else changes between the plan and the write. */
import {type Body, MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {endpointSlicesKind} from '../endpoint-slices/kind.ts';
import {endpointsKind} from '../endpoints/kind.ts';
import type {Plan} from './plan.ts';
import {metadataFor} from './rules.ts';
import {type OwnWrites, SliceWriter} from './write.ts';

let api: MemoryApi;
let slices: Resource;
let writer: SliceWriter;
let own: OwnWrites;
let endpoints: Body;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [endpointsKind, endpointSlicesKind]});
  slices = api.of(endpointSlicesKind);
  endpoints = await api.of(endpointsKind).make({name: 'a'}, {subsets: [{addresses: [{ip: '10.1.0.1'}]}]});
  writer = new SliceWriter(api.api, endpointSlicesKind);
  own = {revisions: new Set(), deleted: new Set()};
});
afterEach(() => api[Symbol.asyncDispose]());

const CONTENT = {addressType: 'IPv4', ports: [], endpoints: [{addresses: ['10.1.0.1']}]};
const write = (plan: Partial<Plan>): Promise<void> =>
  writer.write(endpoints, metadataFor(endpoints), {creates: [], updates: [], deletes: [], ...plan}, own);

test('45-2 I2 a change that the plan did not see is not written over', async () => {
  const slice = await slices.make({name: 's'}, {addressType: 'IPv4'});
  await slices.merge('s', {labels: {mine: 'x'}});
  const before = await slices.get('s');
  await write({updates: [{slice, content: CONTENT}]});
  expect(await slices.get('s')).toEqual(before);
  expect(own.revisions.size).toBe(0);
});

test('45-2 I2 a slice of the same name that was made since is left alone', async () => {
  const slice = await slices.make({name: 's'}, {addressType: 'IPv4'});
  await slices.remove('s');
  await write({updates: [{slice, content: CONTENT}], deletes: [slice]});
  const mine = await slices.make({name: 's'}, {addressType: 'IPv4'});
  await write({updates: [{slice, content: CONTENT}], deletes: [slice]});
  expect(await slices.get('s')).toEqual(mine);
});

test('45-2 a slice that waits for a finalizer is deleted once', async () => {
  const slice = await slices.make({name: 's', finalizers: ['e.io/x']}, {addressType: 'IPv4'});
  await write({deletes: [slice]});
  const marked = await slices.get('s');
  expect(marked.metadata.deletionTimestamp).toBeDefined();
  expect([...own.revisions]).toEqual([BigInt(marked.metadata.resourceVersion)]);
  await write({deletes: [marked]});
  expect(await slices.get('s')).toEqual(marked);
});

test('45-2 Endpoints that are being deleted get no new slices', async () => {
  endpoints = {...endpoints, metadata: {...endpoints.metadata, deletionTimestamp: '2026-01-01T00:00:00Z'}};
  await write({creates: [CONTENT]});
  expect(await slices.names()).toEqual([]);
});

describe('45-2 a write that is refused or fails does not keep the others from being made', () => {
  const REFUSED = {
    ...CONTENT,
    ports: [
      {name: 'x', port: 80},
      {name: 'x', port: 81},
    ],
  };

  test('a refused create: updates and deletes are made, then it is thrown', async () => {
    const [changed, gone] = [await slices.make({name: 's'}, CONTENT), await slices.make({name: 't'}, CONTENT)];
    const content = {...CONTENT, endpoints: [{addresses: ['10.1.0.2']}]};
    const written = write({creates: [REFUSED, CONTENT], updates: [{slice: changed, content}], deletes: [gone]});
    await expect(written).rejects.toMatchObject({code: 422});
    expect((await slices.get('s')).endpoints[0].addresses).toEqual(['10.1.0.2']);
    expect(await slices.names()).toEqual([expect.stringMatching(/^a-.{5}$/), 's']);
    expect(own.revisions.size).toBe(2);
  });

  test('a refused update, also of a batch before', async () => {
    const all = await Promise.all(
      Array.from({length: 20}, (_, i) => slices.make({name: `s${i}`}, {addressType: 'IPv4'})),
    );
    const gone = await slices.make({name: 't'}, CONTENT);
    const updates = all.map((slice, i) => ({slice, content: i === 0 ? REFUSED : CONTENT}));
    await expect(write({updates, deletes: [gone]})).rejects.toMatchObject({code: 422});
    expect(await slices.get('t')).toBeUndefined();
    expect((await slices.get('s19')).endpoints).toHaveLength(1);
    expect(own.revisions.size).toBe(19);
  });

  test('what may pass is thrown before what is refused, for it is tried again', async () => {
    const gone = await slices.make({name: 't'}, CONTENT);
    const full = vi
      .spyOn(api.api.services.registryOf(endpointSlicesKind), 'remove')
      .mockRejectedValueOnce(new Error('disk'));
    await expect(write({creates: [REFUSED], deletes: [gone]})).rejects.toThrow('disk');
    full.mockRestore();
  });
});
