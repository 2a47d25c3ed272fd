// SPDX-License-Identifier: Apache-2.0

import {describe, expect, it} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import type {JsonObject, StructType} from '../schema.ts';
import type {ApplyResult} from './index.ts';
import {ObjectUnderApply} from './testing/object-under-apply.ts';

const SUBSETS = [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]}];
const OTHER = [{addresses: [{ip: '10.0.0.2'}], ports: [{port: 80, protocol: 'TCP'}]}];
const labels = (of: JsonObject): JsonObject => ({metadata: {labels: of}});

function fault(result: ApplyResult) {
  if (result.ok) throw new Error('the apply was not refused');
  return result.fault;
}

describe('apply', () => {
  it('E-219 removes what its only applier no longer applies, until nothing is owned', () => {
    const object = new ObjectUnderApply();
    object.apply('m1', {metadata: {labels: {x: 'y', n: '1'}}, subsets: SUBSETS});
    expect(object.owners()).toEqual({
      'm1 Apply': {'f:metadata': {'f:labels': {'f:n': {}, 'f:x': {}}}, 'f:subsets': {}},
    });
    object.apply('m1', {metadata: {labels: {n: '1'}}});
    expect(object.stored?.['subsets']).toBeUndefined();
    expect(object.labels).toEqual({n: '1'});
    object.apply('m1', {});
    expect(object.labels).toBeUndefined();
    expect(object.metadata['managedFields']).toBeUndefined();
  });

  it('E-048 changes nothing when the same is applied again, also where a default was filled in', () => {
    const object = new ObjectUnderApply();
    const body = {subsets: [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80}]}]};
    object.apply('m1', body);
    object.now = '2026-01-01T00:01:00Z';
    object.apply('m1', body);
    expect(object.version).toBe(1);
    expect(object.times()).toEqual({'m1 Apply': '2026-01-01T00:00:00Z'});
  });

  it('E-218 refuses fields of others with a cause per field, top level first', () => {
    const object = new ObjectUnderApply();
    object.put('creator', {metadata: {labels: {x: '1', y: '1'}}, subsets: SUBSETS});
    const {message, causes, code, reason} = fault(
      object.apply('m1', {metadata: {labels: {x: '2', y: '2'}}, subsets: OTHER}),
    );
    expect({code, reason}).toEqual({code: 409, reason: 'Conflict'});
    expect(message).toBe(
      'Apply failed with 3 conflicts: conflicts with "creator" using v1:\n- .subsets\n- .metadata.labels.x\n- .metadata.labels.y',
    );
    expect(causes?.[1]).toEqual({
      reason: 'FieldManagerConflict',
      message: 'conflict with "creator" using v1',
      field: '.metadata.labels.x',
    });
  });

  it('E-218 force takes the fields over and leaves the rest to its owner', () => {
    const object = new ObjectUnderApply();
    object.put('creator', {metadata: {labels: {x: '1', y: '1'}}, subsets: SUBSETS});
    expect(object.apply('m1', {metadata: {labels: {x: '2'}}, subsets: OTHER}, true).ok).toBe(true);
    expect(object.owners()).toEqual({
      'm1 Apply': {'f:metadata': {'f:labels': {'f:x': {}}}, 'f:subsets': {}},
      'creator Update': {'f:metadata': {'f:labels': {'.': {}, 'f:y': {}}}},
    });
  });

  it('E-219 takes a null in a key of a list for a value of its own, as it was sent', () => {
    const apply = (...ownerReferences: JsonObject[]) =>
      new ObjectUnderApply().apply('m1', {metadata: {ownerReferences}});
    expect(fault(apply({uid: null}, {uid: null})).message).toContain('duplicate entries for key [uid=null]');
    expect(fault(apply({uid: ''}, {})).message).toContain('duplicate entries for key [uid=""]');
    expect(apply({uid: null}, {uid: ''}).ok).toBe(true);
  });

  it('E-218 two appliers share equal values, and neither may change one alone', () => {
    const object = new ObjectUnderApply();
    object.apply('m1', {subsets: SUBSETS});
    expect(object.apply('m2', {subsets: SUBSETS}).ok).toBe(true);
    expect(fault(object.apply('m2', {subsets: OTHER})).message).toBe(
      'Apply failed with 1 conflict: conflict with "m1": .subsets',
    );
    expect(fault(object.apply('m3', {subsets: []})).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "m1":\n- .subsets\nconflicts with "m2":\n- .subsets',
    );
    object.apply('m1', {});
    expect(object.stored?.['subsets']).toEqual(SUBSETS);
  });

  it('E-221 compares subsets as one block, before defaults are filled in', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {subsets: SUBSETS});
    const sent = [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80}]}];
    expect(fault(object.apply('m2', {subsets: sent})).code).toBe(409);
  });

  describe('46-4 E-221 subsets whose stored entries name single addresses', () => {
    const port = '{"name":"http","port":80,"protocol":"TCP"}';
    const entry = (manager: string, operation: string, ...ips: readonly string[]) => ({
      manager,
      operation,
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:subsets': {
          [`k:{"ports":[${port}]}`]: {
            '.': {},
            'f:addresses': Object.fromEntries(ips.map(ip => [`k:{"ip":"${ip}","targetRef.uid":"u"}`, {}])),
            'f:ports': {[`k:${port}`]: {}},
          },
        },
      },
    });
    const at = (...ips: readonly string[]) => [
      {
        addresses: ips.map(ip => ({ip, targetRef: {uid: 'u'}})),
        ports: [{name: 'http', port: 80, protocol: 'TCP'}],
      },
    ];
    const storedBefore = () => {
      const object = new ObjectUnderApply();
      object.stored = {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: {
          name: 'a',
          uid: 'u1',
          annotations: {'platform.io/address-ownership': 'per-address'},
          managedFields: [
            entry('w1', 'Apply', '10.0.0.1'),
            entry('w2', 'Apply', '10.0.0.2'),
            entry('prober', 'Update', '10.0.0.3'),
          ],
        },
        subsets: at('10.0.0.1', '10.0.0.2', '10.0.0.3'),
      };
      return object;
    };

    it('each owner of a part owns the block: an apply of other addresses conflicts with all of them', () => {
      const object = storedBefore();
      expect(fault(object.apply('w1', {subsets: at('10.0.0.1')})).message).toBe(
        'Apply failed with 2 conflicts: conflicts with "prober" using v1:\n- .subsets\nconflicts with "w2":\n- .subsets',
      );
      expect(object.apply('w1', {subsets: at('10.0.0.1')}, true).ok).toBe(true);
      expect(object.stored?.['subsets']).toEqual(at('10.0.0.1'));
      expect(object.owners()).toEqual({'w1 Apply': {'f:subsets': {}}});
    });

    it('an applier that stops leaves the block to the others, to the last one', () => {
      const object = storedBefore();
      expect(object.apply('w1', {}).ok).toBe(true);
      expect(object.stored?.['subsets']).toEqual(at('10.0.0.1', '10.0.0.2', '10.0.0.3'));
      expect(object.owners()).toEqual({'w2 Apply': {'f:subsets': {}}, 'prober Update': {'f:subsets': {}}});
    });

    it('a plain write of other fields keeps all owners, one of subsets is the only owner', () => {
      const object = storedBefore();
      object.patch('m', stored => {
        (stored['metadata'] as {labels?: JsonObject}).labels = {x: 'y'};
      });
      expect(object.owners()).toMatchObject({
        'w1 Apply': {'f:subsets': {}},
        'w2 Apply': {'f:subsets': {}},
        'prober Update': {'f:subsets': {}},
      });
      object.put('m', {...(object.stored as JsonObject), subsets: at('10.0.0.9')});
      expect(object.owners()).toEqual({
        'm Update': {'f:metadata': {'f:labels': {'.': {}, 'f:x': {}}}, 'f:subsets': {}},
      });
    });
  });

  it('E-214 the same name is two owners under Apply and Update', () => {
    const object = new ObjectUnderApply();
    object.put('same', {subsets: SUBSETS});
    expect(fault(object.apply('same', {subsets: OTHER})).message).toContain('conflict with "same" using v1: .subsets');
  });

  it('E-220 after a reset nothing is tracked until an apply, which finds all owned by before-first-apply', () => {
    const object = new ObjectUnderApply();
    object.put('m1', labels({a: '1'}));
    object.put('m1', {metadata: {labels: {a: '1'}, managedFields: [{}]}});
    expect(object.owners()).toEqual({});
    object.put('m2', labels({a: '2'}));
    expect(object.owners()).toEqual({});
    object.apply('m3', labels({b: '1'}));
    expect(object.owners()).toEqual({
      'm3 Apply': {'f:metadata': {'f:labels': {'f:b': {}}}},
      'before-first-apply Update': {'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}}},
    });
  });

  it.each([
    [
      'an unknown field',
      {bogus: 1},
      500,
      'failed to create typed patch object (/a; /v1, Kind=Endpoints): .bogus: field not declared in schema',
    ],
    [
      'a wrong list',
      {subsets: 'x'},
      500,
      'failed to create typed patch object (/a; /v1, Kind=Endpoints): .subsets: expected list, got &{x}',
    ],
    [
      'a wrong string',
      {metadata: {labels: {a: 1}}},
      500,
      'failed to create typed patch object (/a; /v1, Kind=Endpoints): .metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'a wrong number',
      {subsets: [{ports: [{port: 'x'}]}]},
      500,
      'failed to create typed patch object (/a; /v1, Kind=Endpoints): .subsets[0].ports[0].port: expected numeric (int or float), got string',
    ],
    [
      'a fraction',
      {subsets: [{ports: [{port: 1.5}]}]},
      500,
      'failed to convert new object (/a; /v1, Kind=Endpoints) to proper version: unable to convert unstructured object to /v1, Kind=Endpoints: cannot convert float64 to int32',
    ],
    [
      'no time',
      {metadata: {creationTimestamp: 'x'}},
      500,
      'failed to convert new object (/a; /v1, Kind=Endpoints) to proper version: unable to convert unstructured object to /v1, Kind=Endpoints: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'a duplicate set member',
      {metadata: {finalizers: ['a/b', 'a/b']}},
      500,
      'failed to create typed patch object (/a; /v1, Kind=Endpoints): .metadata.finalizers: duplicate entries for key [="a/b"]',
    ],
    ['entries of its own', {metadata: {managedFields: []}}, 400, 'metadata.managedFields must be nil'],
    [
      'what is no entry',
      {metadata: {managedFields: [{manager: 1}]}},
      500,
      'failed to create typed patch object (/a; /v1, Kind=Endpoints): .metadata.managedFields[0].manager: expected string, got &value.valueUnstructured{Value:1}',
    ],
    ['another kind', {kind: 'Pod'}, 400, 'invalid object type: /v1, Kind=Pod'],
    ['another version', {apiVersion: 'apps/v1'}, 400, 'invalid object type: apps/v1, Kind=Endpoints'],
  ])('E-218 refuses %s', (_, body, code, message) => {
    expect(fault(new ObjectUnderApply().apply('m1', body as JsonObject))).toMatchObject({code, message});
  });

  it('tells null from empty where a struct is always there', () => {
    const object = new ObjectUnderApply({typeName: 'io.k8s.api.core.v1.Namespace', kind: 'Namespace'});
    object.put('m0', {metadata: {labels: {x: '1'}}});
    expect(object.apply('m1', {spec: {}}).ok).toBe(true);
    expect(object.apply('m2', {spec: {}}).ok).toBe(true);
    expect(fault(object.apply('m3', {spec: null})).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec\nconflicts with "m2":\n- .spec',
    );
  });

  it('keeps owner references and finalizers item by item', () => {
    const object = new ObjectUnderApply();
    const ref = {apiVersion: 'v1', kind: 'Endpoints', name: 'o', uid: '1-2'};
    object.apply('m1', {metadata: {ownerReferences: [ref], finalizers: ['a/b']}});
    expect(object.owners()).toEqual({
      'm1 Apply': {'f:metadata': {'f:finalizers': {'v:"a/b"': {}}, 'f:ownerReferences': {'k:{"uid":"1-2"}': {}}}},
    });
    object.apply('m2', {metadata: {finalizers: ['c/d']}});
    expect(object.metadata['finalizers']).toEqual(['a/b', 'c/d']);
    object.apply('m1', {});
    expect(object.metadata['finalizers']).toEqual(['c/d']);
    expect(object.metadata['ownerReferences']).toBeUndefined();
  });
});

it('E-114 does not mind a field that the schema accepts and drops', () => {
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  const types = {...kubeTypes, [meta]: {...(kubeTypes[meta] as StructType), ignored: ['clusterName']}};
  const object = new ObjectUnderApply({types});
  expect(object.apply('m1', {metadata: {clusterName: 'x', labels: {a: '1'}}}).ok).toBe(true);
  expect(object.owners()).toEqual({'m1 Apply': {'f:metadata': {'f:labels': {'f:a': {}}}}});
});

describe('kubectl coming from client-side apply', () => {
  const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
  const client = (labels: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {name: 'a', labels},
  });
  const created = (labels: JsonObject, annotated: JsonObject = client(labels)) => {
    const object = new ObjectUnderApply();
    const annotations = {[LAST]: JSON.stringify(annotated)};
    object.put('kubectl-client-side-apply', {metadata: {labels, annotations}});
    return object;
  };

  it('E-218 takes over what it had applied before, and keeps the annotation up to date', () => {
    const object = created({x: '1'});
    expect(object.apply('kubectl', {metadata: {labels: {x: '2'}}}).ok).toBe(true);
    expect(object.labels).toEqual({x: '2'});
    const text = (object.metadata['annotations'] as JsonObject)[LAST];
    expect(text).toBe('{"apiVersion":"v1","kind":"Endpoints","metadata":{"labels":{"x":"2"},"name":"a"}}\n');
  });

  it('E-218 is refused where the live value is no longer the one it had applied', () => {
    const object = created({x: '1', y: '1'});
    object.patch('other', stored => {
      (stored['metadata'] as {labels: Record<string, string>}).labels['x'] = '9';
    });
    expect(fault(object.apply('kubectl', {metadata: {labels: {x: '2', y: '2'}}})).message).toBe(
      'Apply failed with 1 conflict: conflict with "other" using v1: .metadata.labels.x',
    );
  });

  it.each<[string, string]>([
    ['another manager', 'm1'],
    ['kubectl with an annotation of another kind', 'kubectl'],
  ])('E-218 does not hold for %s', (_, manager) => {
    const object = created({x: '1'}, {...client({x: '1'}), ...(manager === 'kubectl' && {kind: 'Pod'})});
    expect(fault(object.apply(manager, {metadata: {labels: {x: '2'}}})).code).toBe(409);
  });
});
