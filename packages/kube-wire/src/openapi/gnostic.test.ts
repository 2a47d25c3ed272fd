// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {readFields} from '../proto/wire.ts';
import {SAMPLE_KINDS} from '../testing/sample-kinds.ts';
import {blockYaml} from './block-yaml.ts';
import {openApiV2, openApiV3} from './documents.ts';
import {encodeOpenApiV2Protobuf} from './gnostic-v2.ts';
import {encodeOpenApiV3Protobuf} from './gnostic-v3.ts';

/** Names of the pairs in field `field` of the message at `path` of the document. */
function names(bytes: Uint8Array, path: readonly number[], field: number): string[] {
  const [first, ...rest] = path;
  const out: string[] = [];
  readFields(bytes, (reader, number) => {
    if (number !== (first ?? field)) return false;
    if (first !== undefined) out.push(...names(reader.bytes(), rest, field));
    else {
      readFields(reader.bytes(), (pair, part) => {
        if (part === 1) out.push(pair.string());
        return part === 1;
      });
    }
    return true;
  });
  return out;
}

test('E-270 version 2 as protobuf has every path, definition and parameter', () => {
  const v2 = openApiV2(kubeTypes, SAMPLE_KINDS);
  const bytes = encodeOpenApiV2Protobuf(v2);
  expect(names(bytes, [8], 2)).toEqual(Object.keys(v2['paths'] as object));
  expect(names(bytes, [9], 1)).toEqual(Object.keys(v2['definitions'] as object));
  expect(names(bytes, [10], 1)).toEqual(Object.keys(v2['parameters'] as object));
});

test('E-270 version 3 as protobuf has every path and schema of each group version', () => {
  for (const [path, document] of openApiV3(kubeTypes, SAMPLE_KINDS)) {
    const bytes = encodeOpenApiV3Protobuf(document);
    const {schemas} = document['components'] as {schemas: object};
    expect({[path]: names(bytes, [4], 1)}).toEqual({[path]: Object.keys(document['paths'] as object)});
    expect({[path]: names(bytes, [5, 1], 1)}).toEqual({[path]: Object.keys(schemas)});
  }
});

const ref = (name: string) => ({$ref: `#/components/schemas/${name}`});
const GVK = {group: '', kind: 'S', version: 'v1'};
/** Has each message and each form of a value once. */
const DOCUMENT = {
  openapi: '3.0.0',
  info: {title: 'T', version: '1'},
  paths: {
    '/a/': {
      get: {
        tags: ['t'],
        description: 'd',
        operationId: 'o',
        parameters: [{description: 'p', in: 'query', name: 'q', schema: {type: 'string', uniqueItems: true}}],
        requestBody: {content: {'*/*': {schema: ref('s')}}, required: true},
        responses: {
          200: {description: 'OK', content: {'application/json': {schema: ref('s')}}},
          401: {description: 'no'},
        },
        'x-kubernetes-action': 'get',
        'x-kubernetes-group-version-kind': GVK,
      },
      parameters: [{in: 'path', name: 'n', required: true, schema: {type: 'string', uniqueItems: true}}],
    },
  },
  components: {
    schemas: {
      s: {
        description: 'S',
        type: 'object',
        required: ['b'],
        properties: {
          b: {type: 'boolean', default: false},
          e: {type: 'string', enum: ['TCP', 'no', 'a b']},
          i: {type: 'integer', format: 'int32', default: 0},
          l: {type: 'array', items: {type: 'string', default: ''}, 'x-kubernetes-list-map-keys': ['a', 'b']},
          m: {type: 'object', additionalProperties: {type: 'number', default: 1.5}},
          r: {default: {}, allOf: [ref('t')]},
        },
        'x-kubernetes-group-version-kind': [GVK, {...GVK, group: 'g.io'}],
      },
      t: {oneOf: [{type: 'integer'}, {type: 'string'}]},
    },
    securitySchemes: {B: {description: 'd', in: 'header', name: 'authorization', type: 'apiKey'}},
  },
};
/** proto.Marshal (deterministic) of openapi_v3.ParseDocument of its JSON, gnostic-models v0.7.0. */
const BYTES = [
  'CgUzLjAuMBIGCgFUMgExIrwCCrkCCgMvYS8SsQIijwIKAXQaAWQqAW8yHwodCgFxEgVxdWVyeRoBcFIOCgygAQHKAQZzdHJp',
  'bmc6KwopEiUKIwoDKi8qEhwKGhIYChYjL2NvbXBvbmVudHMvc2NoZW1hcy9zGAFCUhJBCgMyMDASOgo4CgJPSxoyCjAKEGFw',
  'cGxpY2F0aW9uL2pzb24SHAoaEhgKFiMvY29tcG9uZW50cy9zY2hlbWFzL3MSDQoDNDAxEgYKBAoCbm9qHQoTeC1rdWJlcm5l',
  'dGVzLWFjdGlvbhIGEgRnZXQKakMKH3gta3ViZXJuZXRlcy1ncm91cC12ZXJzaW9uLWtpbmQSIBIeZ3JvdXA6ICIiCmtpbmQ6',
  'IFMKdmVyc2lvbjogdjEKah0KGwoBbhIEcGF0aCABUg4KDKABAcoBBnN0cmluZyr8AwrMAwqjAwoBcxKdAwqaA7oBAWLKAQZv',
  'YmplY3T6AZMCChYKAWISEQoPygEHYm9vbGVhbooCAhAACioKAWUSJQojwgEGEgRUQ1AKwgEFEgNubwrCAQYSBGEgYgrKAQZz',
  'dHJpbmcKJQoBaRIgCh7KAQdpbnRlZ2VyigIJCQAAAAAAAAAAmgIFaW50MzIKTwoBbBJKCkjKAQVhcnJhefIBEgoQCg7KAQZz',
  'dHJpbmeKAgIaAKICKAoaeC1rdWJlcm5ldGVzLWxpc3QtbWFwLWtleXMSChIILSBhCi0gYgoKLAoBbRInCiXKAQZvYmplY3SC',
  'AhkKFwoVygEGbnVtYmVyigIJCQAAAAAAAPg/CicKAXISIgog0gEaEhgKFiMvY29tcG9uZW50cy9zY2hlbWFzL3SKAgCSAgFT',
  'ogJvCh94LWt1YmVybmV0ZXMtZ3JvdXAtdmVyc2lvbi1raW5kEkwSSi0gZ3JvdXA6ICIiCiAga2luZDogUwogIHZlcnNpb246',
  'IHYxCi0gZ3JvdXA6IGcuaW8KICBraW5kOiBTCiAgdmVyc2lvbjogdjEKCiQKAXQSHwod2gEMCgrKAQdpbnRlZ2Vy2gELCgnK',
  'AQZzdHJpbmc6KwopCgFCEiQKIgoGYXBpS2V5EgFkGg1hdXRob3JpemF0aW9uIgZoZWFkZXI=',
].join('');

test('E-270 version 3 as protobuf is byte by byte what gnostic makes of the JSON', () => {
  expect(encodeOpenApiV3Protobuf(DOCUMENT).toString('base64')).toBe(BYTES);
});

test('a key that the tables do not have is an error that names it', () => {
  expect(() => encodeOpenApiV3Protobuf({...DOCUMENT, tags: []})).toThrow('the message Document has no field for tags');
});

describe('values in extensions', () => {
  // The texts are those of gnostic's compiler.Marshal.
  test.each([
    ['TCP', 'TCP\n'],
    ['a b', 'a b\n'],
    ['v1.2/3-x', 'v1.2/3-x\n'],
    ['', '""\n'],
    ['1', '"1"\n'],
    ['NULL', '"NULL"\n'],
    ['no', 'no\n'],
    [true, 'true\n'],
    [1.5, '1.5\n'],
    [null, 'null\n'],
    [[], '[]\n'],
    [{}, '{}\n'],
    [[{a: 'x', b: 1}], '- a: x\n  b: 1\n'],
    [[['a', 'b'], ['c']], '- - a\n  - b\n- - c\n'],
    [{b: ['x'], a: {k: 'v'}, e: []}, 'b:\n    - x\na:\n    k: v\ne: []\n'],
  ])('%j', (value, text) => expect(blockYaml(value)).toBe(text));

  test('what could mean something in YAML is quoted', () => {
    for (const text of ['x:', 'x #y', '- x', '*x', '&x', '!x', '"', "'", 'a\nb', 'a  b', ' a', '~', '0x1', '.inf'])
      expect([blockYaml(text)[0], JSON.parse(blockYaml(text))]).toEqual(['"', text]);
  });
});
