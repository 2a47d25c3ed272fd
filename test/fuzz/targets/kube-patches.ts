// SPDX-License-Identifier: Apache-2.0
/** The four patches over a stored object, and the field sets of managedFields. */
import {inspect, isDeepStrictEqual} from 'node:util';
import {
  DecodeError,
  decodeJson,
  isJsonObject,
  type Json,
  type JsonObject,
  kubeTypes,
  setOwn,
} from '@palisade/kube-wire';
import {decodeFieldsV1, encodeFieldsV1, malformedEntryFaults, manageApply} from '@palisade/kube-wire/apply';
import {jsonPatch, mergePatch, type PatchResult, strategicMergePatch} from '@palisade/kube-wire/patch';
import {yamlToJson} from '@palisade/kube-wire/yaml';
import {claim, target} from '../frame/target.ts';

const SERVICE = 'io.k8s.api.core.v1.Service';
const live = (): JsonObject => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: '4b0d8bbb-0f0c-4f0f-9d5a-000000000001',
    resourceVersion: '7',
    labels: {app: 'web', tier: 'front'},
    finalizers: ['a.example/x', 'b.example/y'],
    ownerReferences: [{apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u1'}],
  },
  spec: {
    selector: {app: 'web'},
    ports: [
      {name: 'http', protocol: 'TCP', port: 80, targetPort: 8080},
      {name: 'dns', protocol: 'UDP', port: 53, targetPort: 'dns'},
    ],
    externalIPs: ['192.0.2.1', '192.0.2.2'],
    type: 'ClusterIP',
  },
  status: {loadBalancer: {ingress: [{ip: '192.0.2.9'}]}},
});

const decodedResult = (result: PatchResult): unknown =>
  result.ok ? {value: result.value, text: result.text()} : {fault: result.fault};

/** Applies a patch, and looks that the stored object is as it was. */
const patched = (patch: (stored: JsonObject) => PatchResult): unknown => {
  const stored = live();
  const result = decodedResult(patch(stored));
  claim(isDeepStrictEqual(stored, live()), 'the stored object was changed');
  return result;
};

/** RFC 7396, section 2, word by word. */
const reference = (at: Json | undefined, patch: Json): Json => {
  if (!isJsonObject(patch)) return patch;
  const out: {[key: string]: Json} = {};
  if (at !== undefined && isJsonObject(at)) for (const [key, value] of Object.entries(at)) setOwn(out, key, value);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else setOwn(out, key, reference(Object.hasOwn(out, key) ? out[key] : undefined, value));
  }
  return out;
};

const CLOCK = '2026-01-02T03:04:05Z';

export const kubePatchTargets = [
  target({
    name: 'json-patch',
    form: 'json',
    refusals: [DecodeError],
    seeds: [
      '[{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"remove","path":"/spec/ports/1"},{"op":"replace","path":"/spec/type","value":"NodePort"}]',
      '[{"op":"move","from":"/spec/ports/0","path":"/spec/ports/-"},{"op":"copy","from":"/metadata","path":"/status/m"},{"op":"test","path":"/metadata/name","value":"web"}]',
      '[{"op":"test","path":"/spec/ports/0/port","value":80.0},{"op":"add","path":"/a~1b~0c","value":[1e2]}]',
      '[{"op":"add","path":"","value":{}},{"op":"add","path":"/__proto__/x","value":1},{"op":"add","path":"/constructor/prototype/y","value":1}]',
      '[{"op":"copy","from":"","path":"/a"},{"op":"copy","from":"","path":"/b"},{"op":"copy","from":"","path":"/c"},{"op":"copy","from":"","path":"/d"}]',
    ],
    words: ['"op":', '"path":"/', '"from":"/', '/-', '/0', '~0', '~1', '/__proto__', '/metadata', '"remove"', '"copy"'],
    decode: input => {
      const {value} = decodeJson(input, {spelling: 'operations'});
      return patched(stored => jsonPatch(stored, value));
    },
  }),
  target({
    name: 'merge-patch',
    form: 'json',
    refusals: [DecodeError],
    seeds: [
      '{"metadata":{"labels":{"app":null,"new":"x"}},"spec":{"ports":[{"port":81}]}}',
      '{"status":null,"spec":{"type":{"a":{"b":null}}}}',
      '{"__proto__":{"x":1},"metadata":{"__proto__":{"y":2}}}',
      '[1]',
    ],
    decode: input => {
      const {value} = decodeJson(input);
      const result = patched(stored => mergePatch(stored, value)) as {value?: Json};
      if (result.value !== undefined && isJsonObject(value) && !holdsNullInList(value))
        claim(isDeepStrictEqual(result.value, reference(live(), value)), 'RFC 7396 gives another document');
      return result;
    },
  }),
  target({
    name: 'strategic-merge-patch',
    form: 'json',
    refusals: [DecodeError],
    seeds: [
      '{"spec":{"ports":[{"port":80,"name":"web"},{"port":53,"$patch":"delete"}]}}',
      '{"spec":{"$setElementOrder/ports":[{"port":53},{"port":80}],"ports":[{"port":53,"targetPort":1}]}}',
      '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a.example/x"],"$setElementOrder/finalizers":["b.example/y"]}}',
      '{"spec":{"$retainKeys":["ports"],"ports":[{"port":1}]}}',
      '{"metadata":{"$patch":"replace","name":"web"},"spec":{"ports":[{"$patch":"replace"},{"port":9}]}}',
    ],
    words: [
      '"$patch":"delete"',
      '"$patch":"replace"',
      '"$patch":"merge"',
      '"$retainKeys":["a"]',
      '"$setElementOrder/ports":[]',
      '"$deleteFromPrimitiveList/finalizers":["a"]',
      '"mergeKey":',
    ],
    decode: input => {
      const {value} = decodeJson(input);
      return patched(stored => strategicMergePatch(stored, value, kubeTypes, SERVICE));
    },
  }),
  target({
    name: 'apply-patch',
    form: 'yaml',
    refusals: [DecodeError],
    seeds: [
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  labels: {app: web2}\nspec:\n  ports:\n  - {port: 80, protocol: TCP, name: x}\n  - {port: 81, protocol: TCP}\n',
      'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {a: b}, externalIPs: [192.0.2.1, 192.0.2.1]}\n',
    ],
    decode: input => {
      const {value} = decodeJson(yamlToJson(input).text);
      const stored = live();
      const common = {
        types: kubeTypes,
        typeName: SERVICE,
        apiVersion: 'v1',
        kind: 'Service',
        manager: 'm',
        now: CLOCK,
        specTimes: true,
      };
      const result = manageApply({...common, live: stored, applied: value, force: true});
      claim(isDeepStrictEqual(stored, live()), 'the stored object was changed');
      return result;
    },
  }),
  target({
    name: 'fields-v1',
    form: 'json',
    refusals: [SyntaxError, DecodeError],
    seeds: [
      '{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}}},"f:finalizers":{"v:\\"a\\"":{}}}}',
      '{"i:0":{},"v:1.5":{},"v:null":{},"v:{\\"a\\":[1]}":{}}',
      '{"k:{}":{},"f:":{},"x:unknown":{},"f:__proto__":{".":{}}}',
    ],
    words: ['"f:', '"v:', '"k:{', '"i:', '".":{}'],
    decode: input => decodeFieldsV1(decodeJson(input).value),
    encode: set => JSON.stringify(encodeFieldsV1(set)),
  }),
  target({
    name: 'managed-fields',
    form: 'json',
    refusals: [DecodeError],
    seeds: [
      '[{"manager":"a","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}}}}]',
      '[{"operation":"Apply","fieldsV1":{"k:{":{}}},{"subresource":"status"}]',
    ],
    decode: input => {
      const {value} = decodeJson(input);
      return malformedEntryFaults(value as never);
    },
  }),
];

function holdsNullInList(value: Json): boolean {
  if (Array.isArray(value)) return inspect(value, {depth: null, maxArrayLength: null}).includes('null');
  return isJsonObject(value) && Object.values(value).some(holdsNullInList);
}
