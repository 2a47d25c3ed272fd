// SPDX-License-Identifier: Apache-2.0

import {describe, expect, it} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import type {Json, JsonObject} from '../schema.ts';
import {fieldSetOf, manageUpdate} from './index.ts';
import {ObjectUnderApply} from './testing/object-under-apply.ts';

const SUBSETS = [{addresses: [{ip: '10.0.0.1'}], ports: [{port: 80, protocol: 'TCP'}]}];
const OTHER = [{addresses: [{ip: '10.0.0.2'}], ports: [{port: 80, protocol: 'TCP'}]}];
const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;

describe('plain writes', () => {
  it('E-210 E-211 E-212 E-213 E-214 note one Update entry with members of lists and maps', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {
      metadata: {
        labels: {x: 'y', 'k/z': '1'},
        annotations: {n: '1'},
        finalizers: ['example.com/f'],
        ownerReferences: [{apiVersion: 'v1', kind: 'Endpoints', name: 'o', uid: 'u-o'}],
      },
      subsets: SUBSETS,
    });
    expect(object.metadata['managedFields']).toEqual([
      {
        manager: 'm1',
        operation: 'Update',
        apiVersion: 'v1',
        time: at(0),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': {
            'f:annotations': {'.': {}, 'f:n': {}},
            'f:finalizers': {'.': {}, 'v:"example.com/f"': {}},
            'f:labels': {'.': {}, 'f:k/z': {}, 'f:x': {}},
            'f:ownerReferences': {'.': {}, 'k:{"uid":"u-o"}': {}},
          },
          'f:subsets': {},
        },
      },
    ]);
  });

  it('E-213 calls a writer without a name unknown', () => {
    const object = new ObjectUnderApply();
    object.put('', {metadata: {labels: {a: '1'}}});
    expect(Object.keys(object.owners())).toEqual(['unknown Update']);
  });

  it('E-214 moves fields to whoever changed them and leaves the empty map to the first', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: 'y'}, annotations: {n: '1'}}, subsets: SUBSETS});
    object.put('m2', {metadata: {labels: {x: '2'}}, subsets: OTHER});
    expect(object.owners()).toEqual({
      'm1 Update': {'f:metadata': {'f:labels': {}}},
      'm2 Update': {'f:metadata': {'f:labels': {'f:x': {}}}, 'f:subsets': {}},
    });
  });

  it('E-048 a write that changes nothing keeps entries and times', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: 'y'}}, subsets: SUBSETS});
    object.now = at(1);
    object.put('m2', {metadata: {labels: {x: 'y'}}, subsets: SUBSETS});
    expect(object.version).toBe(1);
    expect(object.times()).toEqual({'m1 Update': at(0)});
  });

  it('E-220 an object without anything to own stays untracked until it is applied', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {});
    object.put('m2', {metadata: {labels: {x: '1'}}});
    expect(object.owners()).toEqual({});
    object.apply('m3', {metadata: {annotations: {n: '1'}}});
    expect(Object.keys(object.owners())).toEqual(['m3 Apply', 'before-first-apply Update']);
  });

  it.each<[string, Json]>([
    ['an empty list', []],
    ['a list of one empty entry', [{}]],
  ])('E-220 %s drops all owners', (_, managedFields) => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1'}}});
    object.put('m1', {metadata: {labels: {x: '1'}, managedFields}});
    expect(object.owners()).toEqual({});
  });

  it.each<[string, JsonObject]>([
    ['an unknown operation', {operation: 'Patch'}],
    ['another type of fields', {fieldsType: 'FieldsV2'}],
    ['no version', {apiVersion: ''}],
    ['fields that are none', {fieldsV1: {'f:a': 'x'}}],
    ['a step without a colon', {fieldsV1: {metadata: {}}}],
  ])('E-220 does not take over an entry with %s', (_, wrong) => {
    const entry = {
      manager: 'z',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: {'f:zz': {}},
      ...wrong,
    };
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1'}}});
    object.put('m1', {metadata: {labels: {x: '1'}, managedFields: [entry]}});
    expect(Object.keys(object.owners())).toEqual(['m1 Update']);
  });

  it('E-220 takes over entries that make sense, without steps of kinds it does not know', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1', y: '1'}}});
    const entry = {manager: 'z', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1'};
    const fieldsV1 = {'f:metadata': {'f:labels': {'f:y': {}, 'q:later': {}}}};
    object.put('m1', {metadata: {labels: {x: '1', y: '1'}, managedFields: [{...entry, fieldsV1}]}});
    expect(object.owners()).toEqual({'z Apply': {'f:metadata': {'f:labels': {'f:y': {}}}}});
  });

  it('E-210 drops entries of a version that the object is not served in', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1'}}});
    const entry = {
      manager: 'z',
      operation: 'Update',
      apiVersion: 'v9',
      fieldsType: 'FieldsV1',
      fieldsV1: {'f:subsets': {}},
    };
    object.put('m2', {metadata: {labels: {x: '2'}, managedFields: [entry]}});
    expect(object.owners()).toEqual({'m2 Update': {'f:metadata': {'f:labels': {'f:x': {}}}}});
  });

  it('keeps what others claim of the name and the like only until it is compared', () => {
    const claims = {'f:name': {}, 'f:uid': {}, 'f:managedFields': {}};
    const entry = {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      time: at(0),
      fieldsType: 'FieldsV1',
      fieldsV1: {'f:metadata': claims},
    };
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1'}, managedFields: [entry]}});
    expect(object.owners()['x Update']).toEqual({'f:metadata': {'f:uid': {}, 'f:managedFields': {}}});
    object.put('m1', {metadata: {labels: {x: '2'}}});
    expect(object.owners()['x Update']).toEqual({'f:metadata': {'f:uid': {}}});
  });

  it('takes a level that is null as an empty one, and times with an offset in UTC', () => {
    const entry = {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T02:00:00.5+02:00',
      fieldsType: 'FieldsV1',
      fieldsV1: {'f:subsets': null},
    };
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1'}}, subsets: SUBSETS});
    object.put('m1', {metadata: {labels: {x: '1'}, managedFields: [entry]}, subsets: SUBSETS});
    expect(object.metadata['managedFields']).toEqual([{...entry, time: at(0), fieldsV1: {'f:subsets': {}}}]);
  });

  it('E-215 one name is two owners on the object and on its subresource', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1'}}});
    object.patch('m1', stored => {
      stored['subsets'] = SUBSETS;
    });
    object.put('m1', {metadata: {labels: {x: '2'}}, subsets: SUBSETS}, 'status');
    const entries = object.metadata['managedFields'] as readonly JsonObject[];
    expect(entries.map(({manager, subresource, apiVersion}) => [manager, subresource, apiVersion])).toEqual([
      ['m1', undefined, 'v1'],
      ['m1', 'status', 'v1'],
    ]);
    expect(entries[1]?.['fieldsV1']).toEqual({'f:metadata': {'f:labels': {'f:x': {}}}});
  });

  it('gives fields that the strategy resets to nobody', () => {
    const {managedFields} = manageUpdate({
      types: kubeTypes,
      typeName: 'io.k8s.api.core.v1.Namespace',
      apiVersion: 'v1',
      live: undefined,
      next: {metadata: {name: 'a', labels: {a: '1'}}, status: {phase: 'Active'}},
      manager: 'm1',
      now: at(0),
      specTimes: true,
      resetFields: fieldSetOf(['f:status']),
    });
    expect(managedFields?.[0]?.['fieldsV1']).toEqual({'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}}});
  });

  it('folds the oldest Update entries into one beyond ten; Apply entries do not count', () => {
    const object = new ObjectUnderApply();
    object.apply('applier', {metadata: {labels: {applied: '1'}}});
    for (let i = 0; i < 12; i++) {
      object.now = at(i);
      object.patch(`w${String(i).padStart(2, '0')}`, stored => {
        (stored['metadata'] as {labels: Record<string, string>}).labels[`l${i}`] = '1';
      });
    }
    expect(Object.keys(object.owners())).toEqual([
      'applier Apply',
      'ancient-changes Update',
      ...['03', '04', '05', '06', '07', '08', '09', '10', '11'].map(i => `w${i} Update`),
    ]);
    expect(object.owners()['ancient-changes Update']).toEqual({
      'f:metadata': {'f:labels': {'f:l0': {}, 'f:l1': {}, 'f:l2': {}}},
    });
    expect(object.times()['ancient-changes Update']).toBe(at(2));
  });
});

describe('versions', () => {
  it('45-1 drops entries in another version of the API, also where the write changes nothing else', () => {
    const entry = {operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: {'f:subsets': {}}, time: at(0)};
    const own = {manager: 'a', ...entry, apiVersion: 'v1'};
    const written = (managedFields: readonly JsonObject[]) => {
      const live = {metadata: {name: 'x', uid: 'u', managedFields}, subsets: SUBSETS};
      return manageUpdate({
        types: kubeTypes,
        typeName: 'io.k8s.api.core.v1.Endpoints',
        apiVersion: 'v1',
        manager: 'b',
        now: at(1),
        specTimes: false,
        live,
        next: live,
      }).managedFields;
    };
    expect(written([own])).toEqual([own]);
    expect(written([own, {...own, apiVersion: 'other/v1'}])).toEqual([own]);
    expect(written([{...own, apiVersion: 'other/v1'}])).toBeUndefined();
  });
});

describe('times', () => {
  it('E-216 move when a field is added or an owned value changes', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1'}}});
    object.now = at(1);
    object.put('m1', {metadata: {labels: {x: '1', y: '1'}}});
    expect(object.times()).toEqual({'m1 Update': at(1)});
    object.now = at(2);
    object.put('m1', {metadata: {labels: {x: '2', y: '1'}}});
    expect(object.times()).toEqual({'m1 Update': at(2)});
  });

  it.each([
    [true, at(1)],
    [false, at(0)],
  ])('E-216 move when a writer only removes a field of its own (%s)', (specTimes, time) => {
    const object = new ObjectUnderApply({specTimes});
    object.put('m1', {metadata: {labels: {x: '1', y: '1'}}});
    object.now = at(1);
    object.put('m1', {metadata: {labels: {x: '1'}}});
    expect(object.times()).toEqual({'m1 Update': time});
  });

  it('E-217 stay when another takes a field over', () => {
    const object = new ObjectUnderApply();
    object.put('m1', {metadata: {labels: {x: '1', y: '1'}}});
    object.now = at(1);
    object.put('m2', {metadata: {labels: {x: '2', y: '1'}}});
    expect(object.times()).toEqual({'m1 Update': at(0), 'm2 Update': at(1)});
    object.now = at(2);
    object.apply('m3', {metadata: {labels: {y: '2'}}}, true);
    expect(object.times()).toEqual({'m3 Apply': at(2), 'm1 Update': at(0), 'm2 Update': at(1)});
  });

  it.each([
    [true, at(1)],
    [false, undefined],
  ])('E-216 are set by an apply that only adds co-ownership (%s)', (specTimes, time) => {
    const object = new ObjectUnderApply({specTimes});
    object.apply('m1', {subsets: SUBSETS});
    object.now = at(1);
    object.apply('m2', {subsets: SUBSETS});
    expect(object.times()).toEqual({'m1 Apply': at(0), 'm2 Apply': time});
  });

  it('E-216 move when an applier gives up a field, though another keeps it', () => {
    const object = new ObjectUnderApply();
    object.apply('m1', {metadata: {labels: {x: '1'}}, subsets: SUBSETS});
    object.apply('m2', {subsets: SUBSETS});
    object.now = at(3);
    object.apply('m1', {metadata: {labels: {x: '1'}}});
    expect(object.times()).toEqual({'m1 Apply': at(3), 'm2 Apply': at(0)});
    expect(object.stored?.['subsets']).toEqual(SUBSETS);
  });
});
