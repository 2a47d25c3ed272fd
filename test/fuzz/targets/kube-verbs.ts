// SPDX-License-Identifier: Apache-2.0
/**
 * Whole requests of the Kubernetes API, from the body to the answer, on the memory store: decoding, defaults, validation, patches and
 * ownership of every kind. Anything but an answer is a finding, and so is an answer with 500.
 */
import type {KindDefinition} from '@palisade/apiserver';
import {MemoryApi, type Reply} from '@palisade/apiserver/testing';
import {kubeModule} from '@palisade/kinds';
import {claim, target} from '../frame/target.ts';

let opened: Promise<MemoryApi> | undefined;
const api = (): Promise<MemoryApi> => (opened ??= open());

const SERVICE = {
  metadata: {name: 'web', labels: {app: 'web'}},
  spec: {
    selector: {app: 'web'},
    ports: [
      {name: 'http', port: 80, targetPort: 8080},
      {name: 'dns', port: 53, protocol: 'UDP'},
    ],
  },
};

const kindOf = (name: string): KindDefinition => {
  const found = kubeModule.kinds.find(({kind}) => kind === name);
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
};

const open = async (): Promise<MemoryApi> => {
  const memory = await MemoryApi.open({kinds: kubeModule.kinds, bootstraps: kubeModule.bootstraps});
  await memory.of(kindOf('Service')).make(SERVICE.metadata, {spec: SERVICE.spec});
  return memory;
};

/** Without what is new with each request. */
const outcome = ({status, body, warnings}: Reply): unknown => {
  // Without a reason: what upstream answers with 500 too, such as a list of two types in a strategic merge patch.
  claim(status < 500 || body.reason === undefined, `status ${status}: ${JSON.stringify(body).slice(0, 300)}`);
  return status < 300
    ? {status, warnings}
    : {status, message: String(body.message).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID'), warnings};
};

const NAMED = /"?kind"?\s*:\s*"?([A-Za-z]+)/;
const creatable = kubeModule.kinds.filter(({verbs}) => verbs.includes('create'));

/** The kind that the body names; Endpoints for a body that names none. */
const kindIn = (input: Buffer): KindDefinition => {
  const [, name] = NAMED.exec(input.toString('latin1', 0, 4_096)) ?? [];
  return creatable.find(({kind}) => kind === name) ?? kindOf('Endpoints');
};

const patchTarget = (name: string, type: string, seeds: readonly string[]) =>
  target({
    name,
    form: type.includes('yaml') ? 'yaml' : 'json',
    seeds,
    decode: async input => {
      const query = {dryRun: 'All', ...(type.includes('apply') ? {fieldManager: 'fuzz'} : {})};
      return outcome(await (await api()).of(kindOf('Service')).send('patch', 'web', {type, body: input, query}));
    },
  });

export const kubeVerbTargets = [
  target({
    name: 'create-json',
    form: 'json',
    also: ['kube-json'],
    decode: async input =>
      outcome(await (await api()).of(kindIn(input)).send('create', '', {body: input, query: {dryRun: 'All'}})),
  }),
  target({
    name: 'create-yaml',
    form: 'yaml',
    also: ['kube-yaml'],
    decode: async input =>
      outcome(
        await (await api())
          .of(kindIn(input))
          .send('create', '', {type: 'application/yaml', body: input, query: {dryRun: 'All'}}),
      ),
  }),
  target({
    name: 'update-json',
    form: 'json',
    seeds: [JSON.stringify({kind: 'Service', apiVersion: 'v1', ...SERVICE})],
    decode: async input =>
      outcome(
        await (await api())
          .of(kindOf('Service'))
          .send('update', 'web', {body: input, query: {dryRun: 'All', fieldValidation: 'Strict'}}),
      ),
  }),
  patchTarget('patch-json', 'application/json-patch+json', [
    '[{"op":"replace","path":"/spec/ports/0/port","value":81}]',
  ]),
  patchTarget('patch-merge', 'application/merge-patch+json', [
    '{"metadata":{"labels":{"a":"b"},"finalizers":["x.example/y"],"managedFields":[{}]},"spec":{"ports":[{"port":81}]}}',
  ]),
  patchTarget('patch-strategic', 'application/strategic-merge-patch+json', [
    '{"metadata":{"labels":{"a":null}},"spec":{"ports":[{"port":80,"name":"x"},{"port":53,"$patch":"delete"}]}}',
  ]),
  patchTarget('patch-apply', 'application/apply-patch+yaml', [
    'apiVersion: v1\nkind: Service\nmetadata: {name: web, labels: {x: y}}\nspec:\n  ports:\n  - port: 80\n    protocol: TCP\n    name: other\n',
  ]),
];
