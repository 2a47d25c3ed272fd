// SPDX-License-Identifier: Apache-2.0
/** Bodies of Kubernetes requests: JSON, YAML and protobuf, and the untyped readers below them. */
import {isDeepStrictEqual} from 'node:util';
import {
  type Decoded,
  DecodeError,
  decodeDeleteOptions,
  decodeJson,
  decodeObject,
  decodeRequestBody,
  decodeUtf8,
  type ExpectedKind,
  encodeJson,
  encodeProtobuf,
  encodeUntyped,
  type JsonObject,
  kubeTypes,
} from '@palisade/kube-wire';
import {jsonToYaml, yamlToJson} from '@palisade/kube-wire/yaml';
import {claim, target} from '../frame/target.ts';

const KINDS: readonly ExpectedKind[] = [
  ['', 'v1', 'Endpoints', 'io.k8s.api.core.v1.Endpoints'],
  ['', 'v1', 'Service', 'io.k8s.api.core.v1.Service'],
  ['', 'v1', 'Secret', 'io.k8s.api.core.v1.Secret'],
  ['', 'v1', 'Node', 'io.k8s.api.core.v1.Node'],
  ['', 'v1', 'Event', 'io.k8s.api.core.v1.Event'],
  ['discovery.k8s.io', 'v1', 'EndpointSlice', 'io.k8s.api.discovery.v1.EndpointSlice'],
  ['coordination.k8s.io', 'v1', 'Lease', 'io.k8s.api.coordination.v1.Lease'],
  ['rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'io.k8s.api.rbac.v1.ClusterRole'],
].map(([group = '', version = '', kind = '', typeName = '']) => ({
  group,
  version,
  kind,
  typeName,
  internalName: `x.${kind}`,
}));

/** The kind that a body names, so that each seed is decoded as what it is. */
const kindIn = (input: Buffer): ExpectedKind => {
  const text = input.toString('latin1', 0, 4_096);
  return (
    KINDS.find(({kind}) => new RegExp(`kind"?\\s*[:=]\\s*"?${kind}\\b|\\x12.${kind}\\x12`).test(text)) ??
    (KINDS[0] as ExpectedKind)
  );
};

type Body = {readonly kind: ExpectedKind; readonly decoded: Decoded};

/** The object says its kind at the front, so that what is encoded is decoded as the same kind. */
const jsonOf = ({kind, decoded}: Body): string => encodeJson(kubeTypes, kind.typeName, decoded.object);

/** A clean object is what it is in every encoding. Times before year 0 and texts of halves of surrogates have no JSON of their own. */
function sameAfterJson(body: Body): void {
  const {object} = decodeObject(kubeTypes, body.kind.typeName, jsonOf(body));
  claim(isDeepStrictEqual(object, body.decoded.object), 'the object is another after JSON');
}

const decodeBody = (input: Buffer, form: 'json' | 'yaml' | 'protobuf'): Body => {
  const kind = kindIn(input);
  const json = form === 'yaml' ? yamlToJson(input).text : undefined;
  const decoded = decodeRequestBody(kubeTypes, kind, {bytes: input, json, protobuf: form === 'protobuf'});
  return {kind, decoded};
};

/** Undefined where a body does not say its kind, so that it would be read as another. */
const asSame = <T extends string | Uint8Array>({kind}: Body, encoded: T): T | undefined =>
  kindIn(Buffer.from(encoded as string)) === kind ? encoded : undefined;

const cleaned = (body: Body): Body => ({...body, decoded: {...body.decoded, strictErrors: []}});

export const kubeBodyTargets = [
  target<Body>({
    name: 'kube-json',
    form: 'json',
    refusals: [DecodeError],
    decode: input => {
      const body = decodeBody(input, 'json');
      sameAfterJson(body);
      const viaProtobuf = encodeProtobuf(kubeTypes, body.kind.typeName, body.decoded.object);
      const {object} = decodeBody(viaProtobuf, 'protobuf').decoded;
      claim(
        encodeJson(kubeTypes, body.kind.typeName, object) === jsonOf(body) || body.decoded.strictErrors.length > 0,
        'the object is another after protobuf',
      );
      return cleaned(body);
    },
    encode: body => asSame(body, jsonOf(body)),
  }),
  target<Body>({
    name: 'kube-yaml',
    form: 'yaml',
    refusals: [DecodeError],
    words: [
      '&a ',
      '*a',
      '<<: *a\n',
      '!!binary ',
      '!!float ',
      '!!str ',
      '? ',
      '- ',
      '|2\n',
      '>-\n',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '# ',
      '.inf',
      '~',
      'yes',
      '0o7',
      '0b1',
      '1:30',
      '{',
      ']',
      '"\\x00"',
      '\u0085',
      '\ufeff',
      '!<tag:yaml.org,2002:map> ',
    ],
    decode: input => {
      const body = decodeBody(input, 'yaml');
      sameAfterJson(body);
      return cleaned(body);
    },
    encode: body => asSame(body, jsonToYaml(jsonOf(body))),
  }),
  target<Body>({
    name: 'kube-protobuf',
    form: 'protobuf',
    prefixBytes: 4,
    refusals: [DecodeError],
    decode: input => {
      const body = decodeBody(input, 'protobuf');
      sameAfterJson(body);
      return body;
    },
    encode: body => asSame(body, encodeProtobuf(kubeTypes, body.kind.typeName, body.decoded.object as JsonObject)),
  }),
  target({
    name: 'untyped-json',
    form: 'json',
    refusals: [DecodeError],
    seeds: [
      '{"a":[1,2.5,-3e2,null,true,"x\\u0041"],"b":{"c":""}}',
      '"\\ud83d\\udca5"',
      '[[],{}]',
      ' 1 ',
      '-0',
      '1e400',
    ],
    decode: input => {
      const parsed = parseOrUndefined(decodeUtf8(input, 0, input.length));
      let value: unknown;
      try {
        ({value} = decodeJson(input));
      } catch (error) {
        const depth = error instanceof DecodeError && /depth|cannot unmarshal number/.test(error.message);
        claim(parsed === undefined || depth, `JSON.parse accepts what is refused: ${String(error)}`);
        throw error;
      }
      claim(parsed !== undefined, 'JSON.parse refuses what is accepted');
      return value;
    },
    encode: value => encodeUntyped(value as never),
  }),
  target({
    name: 'yaml-to-json',
    form: 'yaml',
    refusals: [DecodeError],
    seeds: [
      'a: &x [1, 2]\nb: *x\n',
      'a: |\n  text\nb: >-\n  folded\n',
      '{a: 1, b: [c]}',
      '? a\n: b\n',
      'a: 2001-01-01\nb: 0x1f\nc: 1_000\nd: .5\n',
      'base: &b {a: 1}\nx:\n  <<: *b\n',
    ],
    words: [
      '&a ',
      '*a',
      '<<: *a\n',
      '!!binary ',
      '? ',
      '- ',
      '|\n',
      '>+\n',
      '---\n',
      '\t',
      '#',
      '[',
      '}',
      '0o17',
      '.nan',
      '-.inf',
      '!!set ',
    ],
    decode: input => {
      const {text, strictErrors} = yamlToJson(input);
      claim(parseOrUndefined(text) !== undefined, `the JSON of it is no JSON: ${text.slice(0, 200)}`);
      return {text, isStrict: strictErrors.length === 0};
    },
    // A key `<<` is written plain, as upstream writes it, and then read as a merge; no field has an integer of more than 63 bits.
    encode: ({text, isStrict}) => (isStrict && !/"\\u003c\\u003c":|\d{19}/.test(text) ? jsonToYaml(text) : undefined),
  }),
  target({
    name: 'delete-options',
    form: 'json',
    refusals: [DecodeError],
    seeds: [
      '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Foreground","preconditions":{"uid":"a","resourceVersion":"1"},"dryRun":["All"]}',
      '{"orphanDependents":true}',
      '',
    ],
    decode: input => decodeDeleteOptions(kubeTypes, {bytes: input}),
  }),
];

function parseOrUndefined(text: string): {readonly value: unknown} | undefined {
  try {
    return {value: JSON.parse(text)};
  } catch {
    return undefined;
  }
}
