// SPDX-License-Identifier: Apache-2.0
/** Addresses and node ports are given once, whatever ends the process in between. Ref: issue 45, point 1. */
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

type Spec = {readonly clusterIP: string; readonly ports: readonly {readonly nodePort: number}[]};

/** So small that whoever forgets what is held soon gives it twice. */
const SMALL = ['--service-cluster-ip-range', '10.96.0.0/27', '--service-node-port-range', '30000-30029'];
const IPS = 30;

const post = async (server: string, name: string, spec: object = {}): Promise<{status: number; spec: Spec}> => {
  const answer = await fetch(`${server}/api/v1/namespaces/default/services`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify({metadata: {name}, spec: {type: 'NodePort', ports: [{port: 80}], ...spec}}),
  });
  return {status: answer.status, spec: ((await answer.json()) as {spec: Spec}).spec};
};
const stored = async (server: string): Promise<readonly Spec[]> => {
  const list = (await (await fetch(`${server}/api/v1/services`)).json()) as {items: {spec: Spec}[]};
  return list.items.map(({spec}) => spec);
};
const portsOf = (specs: readonly Spec[]): number[] =>
  specs.flatMap(({ports}) => ports.map(({nodePort}) => nodePort)).filter(port => port !== undefined);

test('45-1 after kill -9 amid writes no address and no node port is given twice, and all of them are given', async () => {
  using folder = scratch();
  const args = [...quiet(folder.dir), ...SMALL];
  const first = await serve(args);
  const answered: Spec[] = [];
  const writes = Array.from({length: 12}, async (_, i) => {
    const {status, spec} = await post(first.ready.http, `first-${i}`);
    if (status === 201) answered.push(spec);
    if (answered.length === 6) await first.stop('SIGKILL');
  });
  await Promise.allSettled(writes);
  await first.stop('SIGKILL');

  await using second = await serve(args);
  const {http} = second.ready;
  const before = await stored(http);
  expect(before).toEqual(expect.arrayContaining(answered)); // what was answered is there
  const [held] = answered;
  expect((await post(http, 'a', {clusterIP: held?.clusterIP})).status).toBe(422);
  expect((await post(http, 'a', {ports: [{port: 80, nodePort: held?.ports[0]?.nodePort}]})).status).toBe(422);
  for (let i = before.length; i < IPS; i++) expect((await post(http, `second-${i}`)).status).toBe(201);
  expect((await post(http, 'last')).status).toBe(500);
  const after = await stored(http);
  expect(new Set(after.map(({clusterIP}) => clusterIP)).size).toBe(IPS);
  expect(new Set(portsOf(after)).size).toBe(IPS - 1); // the Service kubernetes has none
});
