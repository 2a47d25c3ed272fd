// SPDX-License-Identifier: Apache-2.0
import {kubeTypes} from '@palisade/kube-wire';
import {describe, expect, test} from 'vitest';
import {PLATFORM_TYPES} from '../gen/platform-types.ts';
import {checkShape, cleanInputs} from './check-shape.ts';
import {CLOUDNATIVE} from './cloudnative.ts';
import type {Properties, TypeDescription} from './package-description.ts';
import {PLATFORM} from './platform.ts';
import {toPulumiSchema} from './to-pulumi-schema.ts';

type Schema = {
  types: Record<string, {properties: Record<string, unknown>}>;
  resources: Record<
    string,
    {inputProperties: object; properties: object; requiredInputs?: string[]; required?: string[]}
  >;
};
const schemaOf = (description: typeof PLATFORM) => toPulumiSchema(description) as unknown as Schema;

/** Those of Endpoints, written by hand; the others come from kinds of the server. */
const OWN_TYPES = Object.entries(PLATFORM.types).filter(([token]) => PLATFORM_TYPES[token] === undefined);

describe('the schema of platform', () => {
  test('E-001 E-256 46-5 the tokens are platform:core/v1:Endpoints and platform:discovery/v1alpha1:EndpointGroup', () => {
    expect(Object.keys(schemaOf(PLATFORM).resources)).toEqual([
      'platform:core/v1:Endpoints',
      'platform:discovery/v1alpha1:EndpointGroup',
    ]);
  });

  test('E-011 the seven supporting types exist by name', () => {
    const names = OWN_TYPES.map(([token]) => token.split(':')[1]);
    expect(names.sort()).toEqual([
      'EndpointAddress',
      'EndpointPort',
      'EndpointSubset',
      'ManagedFieldsEntry',
      'ObjectMeta',
      'ObjectReference',
      'OwnerReference',
    ]);
  });

  test('E-020 E-021 E-022 E-023 metadata and subsets are optional inputs and outputs; id is neither', () => {
    const resource = schemaOf(PLATFORM).resources['platform:core/v1:Endpoints'];
    expect(Object.keys(resource?.inputProperties ?? {})).toEqual(['metadata', 'subsets']);
    expect(Object.keys(resource?.properties ?? {})).toEqual(['metadata', 'subsets']);
    expect(resource?.requiredInputs).toBeUndefined();
  });

  test('E-009 E-277 field names are camelCase, and none of a supporting type is required', () => {
    for (const type of Object.values(PLATFORM.types)) {
      for (const [name, property] of Object.entries(type.properties)) {
        expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/);
        expect(property.required).toBeUndefined();
      }
    }
  });

  test('46-5 an EndpointGroup takes metadata and spec, and shows its status', () => {
    const resource = schemaOf(PLATFORM).resources['platform:discovery/v1alpha1:EndpointGroup'];
    expect(Object.keys(resource?.inputProperties ?? {})).toEqual(['metadata', 'spec']);
    expect(Object.keys(resource?.properties ?? {})).toEqual(['metadata', 'spec', 'status']);
    expect(resource?.requiredInputs).toBeUndefined();
    const status = Object.keys(PLATFORM.types['discovery/v1alpha1:EndpointGroupStatus']?.properties ?? {});
    expect(status).toEqual(expect.arrayContaining(['ready', 'total', 'conditions', 'members']));
  });

  test('46-5 every type that a property names is in the package', () => {
    const text = JSON.stringify(toPulumiSchema(PLATFORM));
    const named = [...text.matchAll(/"#\/types\/([^"]+)"/g)].map(([, token = '']) => token);
    expect(named.filter(token => schemaOf(PLATFORM).types[token] === undefined)).toEqual([]);
  });

  test('E-085 the protocols are exactly UDP, TCP and SCTP', () => {
    expect(PLATFORM.enums['core/v1:Protocol']?.values.map(value => value.value)).toEqual(['UDP', 'TCP', 'SCTP']);
  });

  /** Fields of the specification that Kubernetes v1.36 has no more. */
  const ONLY_OURS: Readonly<Record<string, readonly string[]>> = {ObjectMeta: ['clusterName']};

  test.each(OWN_TYPES)('X-004 %s agrees with the type table of the server', (token, type) => {
    const [module = '', name = ''] = token.split(':');
    const area = module.startsWith('meta') ? 'io.k8s.apimachinery.pkg.apis.meta.v1' : 'io.k8s.api.core.v1';
    const struct = kubeTypes[`${area}.${name}`];
    const known = new Map((struct?.fields ?? []).map(field => [field.name, field.type]));
    const extra = ONLY_OURS[name] ?? [];
    const ours = Object.keys(type.properties).filter(key => !extra.includes(key));
    const theirs = [...known.keys()].filter(key => !extra.includes(key));
    expect(ours.sort()).toEqual(theirs.sort());
    for (const key of ours) {
      expect(`${key}: ${shapeOf(type.properties[key]?.type)}`).toBe(`${key}: ${known.get(key)?.type ?? ''}`);
    }
  });

  const shapeOf = (type: TypeDescription | undefined): string => {
    if (type?.kind === 'enum') return 'string';
    return type?.kind === 'json' ? 'any' : (type?.kind ?? '');
  };
});

describe('the schema of cloudnative', () => {
  test('I-001 I-120 the token is cloudnative:intrusion/v1:Endpoint', () => {
    expect(Object.keys(schemaOf(CLOUDNATIVE).resources)).toEqual(['cloudnative:intrusion/v1:Endpoint']);
  });

  test('I-020 I-044 only endpointId is required', () => {
    expect(schemaOf(CLOUDNATIVE).resources['cloudnative:intrusion/v1:Endpoint']?.requiredInputs).toEqual([
      'endpointId',
    ]);
  });

  test('I-050 every input is an output too', () => {
    const resource = schemaOf(CLOUDNATIVE).resources['cloudnative:intrusion/v1:Endpoint'];
    const outputs = new Set(Object.keys(resource?.properties ?? {}));
    expect(Object.keys(resource?.inputProperties ?? {}).filter(name => !outputs.has(name))).toEqual([]);
    expect(outputs.has('id')).toBe(false);
  });

  test('I-013 I-029 the severities', () => {
    const {values = []} = CLOUDNATIVE.enums['intrusion/v1:EndpointSeverity'] ?? {};
    expect(values.map(value => value.value)).toEqual([
      'SEVERITY_UNSPECIFIED',
      'INFORMATIONAL',
      'LOW',
      'MEDIUM',
      'HIGH',
      'CRITICAL',
    ]);
  });
});

describe('checkShape', () => {
  const inputs: Properties = PLATFORM.resources['core/v1:Endpoints']?.inputs ?? {};
  const faults = (value: Parameters<typeof checkShape>[2]) =>
    checkShape(PLATFORM, inputs, value).map(failure => `${failure.property}: ${failure.reason}`);

  test('names every unknown property and wrong type with its path', () => {
    expect(
      faults({
        metadata: {labels: {a: 1}, nmae: 'x', not_ready: 1},
        subsets: [{addresses: {}, ports: [{port: 1.5, appProtocol: true}, null], not_ready_addresses: []}],
        extra: 1,
      }),
    ).toEqual([
      'metadata.labels.a: expected a string, got the number 1',
      'metadata.nmae: unknown property',
      'metadata.not_ready: unknown property',
      'subsets[0].addresses: expected a list, got an object',
      'subsets[0].ports[0].port: expected an integer, got the number 1.5',
      'subsets[0].ports[0].appProtocol: expected a string, got the boolean true',
      'subsets[0].ports[1]: expected an object, got null',
      'subsets[0].not_ready_addresses: unknown property; did you mean notReadyAddresses?',
      'extra: unknown property',
    ]);
  });

  test('cleanInputs drops nulls, bookkeeping and what only the server sets', () => {
    const clean = cleanInputs(PLATFORM, inputs, {
      __defaults: [],
      metadata: {
        name: 'a',
        uid: 'u',
        resourceVersion: '1',
        managedFields: [],
        labels: {a: '1', b: null},
        generation: 1,
      },
      subsets: [{addresses: [{ip: '10.0.0.1', hostname: null}], ports: null}],
    });
    expect(clean).toEqual({
      metadata: {name: 'a', labels: {a: '1'}},
      subsets: [{addresses: [{ip: '10.0.0.1'}]}],
    });
  });
});
