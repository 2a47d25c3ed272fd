// SPDX-License-Identifier: Apache-2.0
/** The compat mode is stored with the data; a change that the data cannot bear is refused and says what stands in the way. */
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {ENDPOINTS, endpoints, hastyTimers, keepOpen, startWire, subset} from './support.ts';

const BOTH = {addresses: [{ip: '10.0.0.1'}], notReadyAddresses: [{ip: '10.0.0.1'}], ports: [{port: 80}]};

test('E-045 from kubernetes to spec: refused while an object breaks the rule, naming it, and possible once it is mended', async () => {
  const store = await openMemoryStore();
  const kept = keepOpen(store);
  {
    await using wire = await startWire({store: kept, compat: 'kubernetes'});
    expect((await wire.send('POST', ENDPOINTS, {body: endpoints('fine', [subset()])})).status).toBe(201);
    expect((await wire.send('POST', ENDPOINTS, {body: endpoints('both', [BOTH])})).status).toBe(201);
  }
  await expect(startWire({store: kept, compat: 'spec'})).rejects.toThrow(
    /--compat spec:\n {2}endpoints one\/both: subsets\[0\]\.notReadyAddresses\[0\]\.ip.*\nstart with --compat kubernetes/,
  );
  {
    await using wire = await startWire({store: kept, compat: 'kubernetes'});
    await wire.send('DELETE', `${ENDPOINTS}/both`);
  }
  await using wire = await startWire({store: kept, compat: 'spec'});
  expect((await wire.send('GET', `${ENDPOINTS}/fine`)).status).toBe(200);
});

test.each([
  ['spec', 'palisade', 'palisade-namespace-controller'],
  ['kubernetes', 'kube-apiserver', 'kube-controller-manager'],
] as const)(
  "E-271 the server's own writes have names in managedFields, --compat %s",
  async (compat, server, controller) => {
    await using wire = await startWire({compat, timers: hastyTimers});
    const managers = async (name: string): Promise<(string | undefined)[][]> =>
      ((await wire.send('GET', `/api/v1/namespaces/${name}`)).body.metadata.managedFields ?? []).map(
        (entry: {manager: string; subresource?: string}) => [entry.manager, entry.subresource],
      );
    expect(await managers('kube-system')).toEqual([[server, undefined]]);
    await wire.send('POST', ENDPOINTS, {body: endpoints('held', undefined, {finalizers: ['example.com/x']})});
    await wire.send('DELETE', '/api/v1/namespaces/one');
    await expect.poll(() => managers('one'), {timeout: 10_000}).toContainEqual([controller, 'status']);
  },
);

test('E-136 E-158 an object that was stored without a generation keeps it so until its subsets change', async () => {
  const kept = keepOpen(await openMemoryStore());
  {
    await using wire = await startWire({store: kept, compat: 'kubernetes'});
    await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()])});
  }
  await using wire = await startWire({store: kept, compat: 'spec'});
  const put = async (body: object) => (await wire.send('PUT', `${ENDPOINTS}/a`, {body})).body;
  const {body: before} = await wire.send('GET', `${ENDPOINTS}/a`);
  expect(await put(before)).toEqual(before);
  expect((await put(endpoints('a', [subset({ip: '10.0.0.2'})]))).metadata.generation).toBe(1);
});

test('E-136 E-114 from spec to kubernetes and back: what was stored stays readable', async () => {
  const kept = keepOpen(await openMemoryStore());
  {
    await using wire = await startWire({store: kept, compat: 'spec'});
    await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()], {clusterName: 'east'})});
  }
  {
    await using wire = await startWire({store: kept, compat: 'kubernetes'});
    const {body} = await wire.send('GET', `${ENDPOINTS}/a`);
    expect([body.metadata.generation, body.metadata.clusterName]).toEqual([1, undefined]);
    await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [subset({ip: '10.0.0.2'})])});
  }
  await using wire = await startWire({store: kept, compat: 'spec'});
  const put = await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [subset({ip: '10.0.0.3'})])});
  expect(put.body.metadata.generation).toBe(2);
});
