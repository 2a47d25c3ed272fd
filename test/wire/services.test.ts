// SPDX-License-Identifier: Apache-2.0
/** Services over HTTP, as kubectl and kube-proxy see them. Ref: issue 45, point 1. */
import {openMemoryStore} from '@palisade/store/memory';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {APPLY, freshName, keepOpen, MERGE, startWire, type Wire} from './support.ts';

const SERVICES = '/api/v1/namespaces/one/services';
const TABLE = {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'};
const PORTS = [{name: 'http', port: 80}];

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

const post = (name: string, spec: object) => wire.send('POST', SERVICES, {body: {metadata: {name}, spec}});
const merge = (path: string, body: object) => wire.send('PATCH', path, {body, headers: {'content-type': MERGE}});

describe('a Service', () => {
  test('45-1 is listed by its type and its address, and shown in a Table', async () => {
    const [headless, named] = [freshName(), freshName()];
    await post(headless, {clusterIP: 'None', ports: PORTS});
    await post(named, {type: 'ExternalName', externalName: 'x.y'});
    const names = async (fieldSelector: string) => {
      const {body} = await wire.send('GET', SERVICES, {query: {fieldSelector}});
      return body.items.map((item: {metadata: {name: string}}) => item.metadata.name);
    };
    expect(await names('spec.type=ExternalName')).toContain(named);
    expect(await names('spec.clusterIP=None')).toContain(headless);
    expect((await wire.send('GET', SERVICES, {query: {fieldSelector: 'spec.ports=80'}})).body.message).toBe(
      'field label not supported: spec.ports',
    );
    const table = (await wire.send('GET', `${SERVICES}/${headless}`, {headers: TABLE})).body;
    expect(table.rows[0].cells.slice(0, 5)).toEqual([headless, 'ClusterIP', 'None', '<none>', '80/TCP']);
  });

  test('45-1 has a status with a path of its own', async () => {
    const name = freshName();
    await post(name, {type: 'LoadBalancer', ports: PORTS});
    const path = `${SERVICES}/${name}`;
    const ingress = [{ip: '1.2.3.4', ipMode: 'VIP'}];
    expect((await merge(path, {status: {loadBalancer: {ingress}}})).body.status).toEqual({loadBalancer: {}});
    expect((await merge(`${path}/status`, {status: {loadBalancer: {ingress}}})).body.status).toEqual({
      loadBalancer: {ingress},
    });
    expect((await wire.send('GET', `${path}/status`)).body.status).toEqual({loadBalancer: {ingress}});
    expect((await wire.send('GET', path, {headers: TABLE})).body.rows[0].cells[3]).toBe('1.2.3.4');
  });

  test('45-1 that is only a name hides its policy for inner traffic, but for the events of a watch', async () => {
    const name = freshName();
    const path = `${SERVICES}/${name}`;
    const query = {fieldSelector: `metadata.name=${name}`};
    const {resourceVersion} = (await wire.send('GET', SERVICES)).body.metadata;
    const live = await wire.watch(SERVICES, {...query, resourceVersion});
    await post(name, {type: 'ExternalName', externalName: 'x.y', internalTrafficPolicy: 'Local'});
    const policy = 'internalTrafficPolicy';
    expect((await live.next()).object.spec).toHaveProperty(policy);
    const past = await wire.watch(SERVICES, {...query, resourceVersion});
    expect((await past.next()).object.spec).not.toHaveProperty(policy);
    const fresh = await wire.watch(SERVICES, query);
    expect((await fresh.next()).object.spec).not.toHaveProperty(policy);
    expect((await wire.send('GET', path)).body.spec).not.toHaveProperty(policy);
    expect((await wire.send('GET', SERVICES, {query})).body.items[0].spec).not.toHaveProperty(policy);
    for (const watch of [live, past, fresh]) watch.close();
  });

  test('45-1 is applied by port and protocol, and nobody owns the address that the server chose', async () => {
    const name = freshName();
    const apply = (spec: object) =>
      wire.send('PATCH', `${SERVICES}/${name}`, {
        body: {apiVersion: 'v1', kind: 'Service', metadata: {name}, spec},
        headers: {'content-type': APPLY},
        query: {fieldManager: 'm'},
      });
    const first = (await apply({ports: PORTS})).body;
    expect(first.spec.clusterIP).toMatch(/^10\.96\./);
    expect(JSON.stringify(first.metadata.managedFields)).not.toContain('f:clusterIP');
    const again = await apply({ports: PORTS});
    expect([again.status, again.body.metadata.resourceVersion]).toEqual([200, first.metadata.resourceVersion]);
  });

  test('45-1 created at the same moment by many clients has an address of its own, also after a restart', async () => {
    const store = await openMemoryStore();
    const create = async (server: Wire, count: number): Promise<string[]> => {
      const answers = await Promise.all(
        Array.from({length: count}, () =>
          server.send('POST', SERVICES, {
            body: {metadata: {generateName: 's-'}, spec: {ports: PORTS, type: 'NodePort'}},
          }),
        ),
      );
      expect(answers.map(({status}) => status)).toEqual(answers.map(() => 201));
      return answers.flatMap(({body}) => [body.spec.clusterIP, String(body.spec.ports[0].nodePort)]);
    };
    const first = await startWire({store: keepOpen(store)});
    const before = await create(first, 50);
    await first[Symbol.asyncDispose]();
    const second = await startWire({store: keepOpen(store)});
    const all = [...before, ...(await create(second, 50))];
    await second[Symbol.asyncDispose]();
    expect(new Set(all).size).toBe(200);
  });
});
