// SPDX-License-Identifier: Apache-2.0
/** Long work on lists gives way to others, at each page of the store and at each batch of deletes. */
import {everyoneIsMaster, mastersOnly} from '@palisade/apiserver';
import {kubeModule} from '@palisade/kinds';
import {openMemoryStore} from '@palisade/store/memory';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {serveKubeApi, type TestKubeApi} from './serve.ts';

/** More than deletecollection lists at once, and than it deletes at the same time. */
const OBJECTS = 10_001;
const STORE_PAGE_ITEMS = 4_000;
const DELETES_IN_FLIGHT = 64;

let served: TestKubeApi;
const ask = async (method: string, query: string, body?: object) => {
  const answer = await fetch(`${served.url}/api/v1/namespaces/default/endpoints${query}`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
    },
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  });
  return (await answer.json()) as {code?: number; metadata: {resourceVersion: string}; items: unknown[] | null};
};

beforeAll(async () => {
  const store = await openMemoryStore();
  served = await serveKubeApi({
    store,
    ...kubeModule,
    compat: 'kubernetes',
    authenticator: everyoneIsMaster,
    authorizer: mastersOnly,
    limits: {storePageItems: STORE_PAGE_ITEMS},
  });
  // One is made by a request; the store gets the others as it would from theirs.
  await ask('POST', '', {metadata: {name: 'o-0'}});
  const at = '/kube/core/endpoints/default/';
  const made = new TextDecoder().decode((await store.get(`${at}o-0`))?.value);
  const uid = /"uid":"([^"]+)"/.exec(made)?.[1] ?? '';
  for (let i = 1; i < OBJECTS; i++) {
    const own = `${uid.slice(0, -5)}${String(i).padStart(5, '0')}`;
    const text = made.replace('"name":"o-0"', `"name":"o-${i}"`).replace(uid, own);
    await store.put(`${at}o-${i}`, new TextEncoder().encode(text));
  }
});
afterAll(() => served[Symbol.asyncDispose]());

test('a read of history takes its turn before each further page of the store', async () => {
  const {resourceVersion} = (await ask('GET', '?limit=1')).metadata;
  await ask('POST', '', {metadata: {name: 'later'}});
  const next = vi.spyOn(served.api.services.scheduler, 'turn');
  const {items} = await ask('GET', `?resourceVersionMatch=Exact&resourceVersion=${resourceVersion}&labelSelector=none`);
  expect(items).toBe(null); // whose sending takes no turn
  expect(next.mock.calls.length).toBeGreaterThanOrEqual(Math.floor(OBJECTS / STORE_PAGE_ITEMS));
  next.mockRestore();
});

test('E-275 a watch with a selector looks for the existing objects in steps, and gets all that match', async () => {
  const run = vi.spyOn(served.api.services.scheduler, 'run');
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const selector = `fieldSelector=metadata.name=o-${OBJECTS - 1}`;
  const left = new AbortController();
  const watch = await fetch(`${served.url}/api/v1/endpoints?${query}&${selector}`, {signal: left.signal});
  let text = '';
  for await (const chunk of watch.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('BOOKMARK')) break;
  }
  left.abort();
  expect(text.match(/"type":"\w+"|"name":"o-\d+"/g)).toEqual([
    '"type":"ADDED"',
    `"name":"o-${OBJECTS - 1}"`,
    '"type":"BOOKMARK"',
  ]);
  expect(run).toHaveBeenCalled();
  run.mockRestore();
});

test('E-271 a deletecollection that is not older than a version goes over its pages, and takes its turn before each further batch', async () => {
  const next = vi.spyOn(served.api.services.scheduler, 'turn');
  const options = {kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All']}; // else the version would be a precondition
  const {items, code} = await ask('DELETE', '?resourceVersion=1&resourceVersionMatch=NotOlderThan', options);
  expect([code, items?.length]).toEqual([undefined, OBJECTS + 1]);
  expect(next.mock.calls.length).toBeGreaterThanOrEqual(Math.floor(OBJECTS / DELETES_IN_FLIGHT));
  next.mockRestore();
});
