// SPDX-License-Identifier: Apache-2.0
/** Ownership per address, asked for by an annotation. Ref: requirements E-221; docs/adr/0003. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Answer, APPLY, ENDPOINTS, freshName, startWire, type Wire} from './support.ts';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

const PORTS = [{name: 'http', port: 80, protocol: 'TCP'}];
const apply = (name: string, manager: string, ips: readonly string[], annotated: boolean): Promise<Answer> =>
  wire.send('PATCH', `${ENDPOINTS}/${name}`, {
    query: {fieldManager: manager},
    headers: {'content-type': APPLY},
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: {name, ...(annotated ? {annotations: {'platform.io/address-ownership': 'per-address'}} : {})},
      subsets: [{addresses: ips.map(ip => ({ip})), ports: PORTS}],
    }),
  });
const ips = (answer: Answer): string[] =>
  (answer.body.subsets ?? [])
    .flatMap((s: {addresses?: {ip: string}[]}) => (s.addresses ?? []).map(a => a.ip))
    .toSorted();

test.each(['spec', 'kubernetes'] as const)(
  'E-221 a value that turns nothing on is stored, --compat %s',
  async compat => {
    await using own = await startWire({compat});
    const annotation = 'platform.io/address-ownership';
    const post = (value: string) =>
      own.send('POST', ENDPOINTS, {body: {metadata: {name: freshName(), annotations: {[annotation]: value}}}});
    const advice = ({warnings}: Answer) => warnings.filter(text => text.includes(annotation));
    const typo = await post('per-adress');
    expect([typo.status, advice(typo)]).toEqual([
      201,
      compat === 'spec'
        ? ['metadata.annotations[platform.io/address-ownership]: "per-adress" has no meaning (known: per-address)']
        : [],
    ]);
    expect(advice(await post('per-address'))).toEqual([]);
  },
);

describe('two writers of one object', () => {
  test('E-221 E-218 without the annotation subsets are one block: the second applier conflicts', async () => {
    const name = freshName();
    expect((await apply(name, 'one', ['10.0.0.1'], false)).status).toBe(201);
    const second = await apply(name, 'two', ['10.0.0.2'], false);
    expect(second.status).toBe(409);
    expect(second.body.details.causes[0].field).toBe('.subsets');
  });

  test('E-221 E-219 with it each holds its own addresses, and takes away only its own', async () => {
    const name = freshName();
    expect((await apply(name, 'one', ['10.0.0.1', '10.0.0.2'], true)).status).toBe(201);
    const second = await apply(name, 'two', ['10.0.0.3'], true);
    expect(second.status, second.text).toBe(200);
    expect(ips(second)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect(ips(await apply(name, 'one', ['10.0.0.1'], true))).toEqual(['10.0.0.1', '10.0.0.3']);
  });
});
