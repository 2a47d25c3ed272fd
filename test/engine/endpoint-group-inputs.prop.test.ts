// SPDX-License-Identifier: Apache-2.0
/** The provider means by a group what the server stores of it: an unchanged one is no drift, and importing gives back what was written. */
import {createPlatformProvider, nodeProviderHost, type PropertyMap} from '@palisade/provider';
import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {startWire, type Wire} from '../wire/support.ts';

const GROUPS = '/apis/platform.io/v1alpha1/namespaces/one/endpointgroups';
const URN = 'urn:pulumi:dev::proj::platform:discovery/v1alpha1:EndpointGroup::web';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

const some = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) => fc.record(fields, {requiredKeys: []});
const port = fc.constantFrom(80, 443);
const http = some({
  path: fc.constantFrom('', '/healthz'),
  scheme: fc.constantFrom('', 'HTTP'),
  host: fc.constantFrom('', 'h'),
  httpHeaders: fc.constantFrom([], [{name: 'a', value: ''}], [{name: 'a', value: 'x'}]),
  expectedStatuses: fc.constantFrom([], ['200'], ['200', '300-399']),
});
const timing = some({
  port: fc.constantFrom(81),
  periodSeconds: fc.constantFrom(0, 10, 20),
  timeoutSeconds: fc.constantFrom(0, 1, 2),
  successThreshold: fc.constantFrom(0, 1, 2),
  failureThreshold: fc.constantFrom(0, 3, 4),
  initialDelaySeconds: fc.constantFrom(0, 5),
  jitterPercent: fc.constantFrom(0, 10, 20),
});
const method = fc.oneof(
  fc.constantFrom({}, {tcpSocket: {}}, {tls: {}}, {grpc: {tls: false}}, {grpc: {service: '', tls: true}}),
  http.map(httpGet => ({httpGet})),
);
const check = fc.tuple(method, timing).map(([of, when]) => ({...of, ...when}));
const checked = fc
  .tuple(port, some({protocol: fc.constantFrom('', 'TCP'), appProtocol: fc.constantFrom('http'), check}))
  .map(([number, more]) => ({port: number, ...more}));
const member = fc
  .tuple(
    fc.constantFrom('10.0.0.1', '10.0.0.2', 'fd00::1'),
    some({hostname: fc.constantFrom('', 'h'), targetRef: fc.constantFrom({}, {kind: 'Pod', name: ''})}),
  )
  .map(([ip, more]) => ({ip, ...more}));
const selector = fc.constantFrom(
  {},
  {matchLabels: {}},
  {matchLabels: {a: ''}},
  {matchExpressions: [{key: 'a', operator: 'Exists', values: []}]},
);
const written = some({
  members: fc.uniqueArray(member, {selector: ({ip}) => ip, maxLength: 3}),
  selector,
  ports: fc.array(checked, {maxLength: 1}),
  panicThresholdPercent: fc.constantFrom(0, 50),
});

test('46-5 E-112 what the server makes of a spec is no drift, and its import differs in nothing', async () => {
  const provider = createPlatformProvider(nodeProviderHost({PALISADE_SERVER: wire.url}));
  await provider.configure({inputs: {}});
  let count = 0;
  await fc.assert(
    fc.asyncProperty(written, async spec => {
      const name = `web-${++count}`;
      const id = `one/${name}`;
      const inputs: PropertyMap = {metadata: {name, namespace: 'one'}, spec: spec as PropertyMap};
      const object = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', ...inputs};
      const made = await wire.send('POST', GROUPS, {body: object});
      fc.pre(made.status !== 422); // Its own rules are tested where they are.
      expect(made.status, made.text).toBe(201);
      const {metadata} = made.body;
      const owned = await provider.read({urn: URN, id, inputs, properties: {metadata}});
      expect(owned.inputs).toEqual(inputs);
      const imported = await provider.read({urn: URN, id, inputs: {}, properties: {}});
      const diff = {urn: URN, id, olds: imported.properties, oldInputs: imported.inputs, news: inputs};
      expect((await provider.diff(diff)).detailedDiff).toEqual({});
    }),
    {numRuns: 150},
  );
});
