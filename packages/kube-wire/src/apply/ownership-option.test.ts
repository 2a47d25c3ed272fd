// SPDX-License-Identifier: Apache-2.0

import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {ADDRESS_OWNERSHIP} from '../endpoints/address-ownership.ts';
import type {JsonObject} from '../schema.ts';
import type {ApplyResult} from './index.ts';
import {ObjectUnderApply} from './testing/object-under-apply.ts';

const HTTP = [{name: 'http', port: 80, protocol: 'TCP'}];
const KEY = 'k:{"ports":[{"name":"http","port":80,"protocol":"TCP"}]}';
const OPT_IN = {annotations: {[ADDRESS_OWNERSHIP.annotation]: ADDRESS_OWNERSHIP.value}};

const subset = (ips: readonly string[], more: object = {}) => ({
  addresses: ips.map(ip => ({ip, ...more})),
  ports: HTTP,
});
const shared = () => {
  const object = new ObjectUnderApply({ownership: ADDRESS_OWNERSHIP});
  object.apply('admin', {metadata: OPT_IN});
  return object;
};
const ips = (object: ObjectUnderApply) =>
  ((object.stored?.['subsets'] ?? []) as {addresses?: {ip: string}[]}[]).map(({addresses}) =>
    addresses?.map(({ip}) => ip),
  );
const message = (result: ApplyResult) => (result.ok ? undefined : result.fault.message);

describe('ownership per address', () => {
  it('E-221 lets two writers each hold their addresses in one subset', () => {
    const object = shared();
    expect(object.apply('w1', {subsets: [subset(['10.0.0.1'])]}).ok).toBe(true);
    expect(object.apply('w2', {subsets: [subset(['10.0.0.2'])]}).ok).toBe(true);
    expect(ips(object)).toEqual([['10.0.0.1', '10.0.0.2']]);
    expect(object.owners()['w2 Apply']).toEqual({
      'f:subsets': {
        [KEY]: {
          '.': {},
          'f:addresses': {'k:{"ip":"10.0.0.2"}': {}},
          'f:ports': {'k:{"name":"http","port":80,"protocol":"TCP"}': {}},
        },
      },
    });
  });

  it('E-221 is off unless the object asks for it', () => {
    const object = new ObjectUnderApply({ownership: ADDRESS_OWNERSHIP});
    object.apply('w1', {subsets: [subset(['10.0.0.1'])]});
    expect(message(object.apply('w2', {subsets: [subset(['10.0.0.2'])]}))).toBe(
      'Apply failed with 1 conflict: conflict with "w1": .subsets',
    );
  });

  it('E-221 takes away only what a writer gives up', () => {
    const object = shared();
    object.apply('w1', {subsets: [subset(['10.0.0.1', '10.0.0.3'])]});
    object.apply('w2', {subsets: [subset(['10.0.0.2', '10.0.0.3'])]});
    object.apply('w1', {subsets: [subset(['10.0.0.4'])]});
    expect(ips(object)).toEqual(
      [['10.0.0.4', '10.0.0.2', '10.0.0.3'].sort()].map(list => expect.arrayContaining(list)),
    );
    object.apply('w1', {});
    expect(ips(object)).toEqual([['10.0.0.3', '10.0.0.2'].sort()].map(list => expect.arrayContaining(list)));
    object.apply('w2', {});
    expect(object.stored?.['subsets']).toBeUndefined();
  });

  it('E-221 refuses another value for an address that somebody holds', () => {
    const object = shared();
    object.apply('w1', {subsets: [subset(['10.0.0.1'])]});
    expect(message(object.apply('w2', {subsets: [subset(['10.0.0.1'], {nodeName: 'n'})]}))).toBe(
      'Apply failed with 1 conflict: conflict with "w1": .subsets[ports=[name="http"port=80protocol="TCP"]].addresses[ip="10.0.0.1"]',
    );
  });

  it('E-221 knows a subset by its ports in any order, with or without the default protocol', () => {
    const object = shared();
    const ports = [
      {name: 'http', port: 80},
      {name: 'dns', port: 53, protocol: 'UDP'},
    ];
    object.apply('w1', {subsets: [{addresses: [{ip: '10.0.0.1'}], ports}]});
    const result = object.apply('w2', {
      subsets: [{addresses: [{ip: '10.0.0.2'}], ports: [{port: 53, protocol: 'UDP', name: 'dns'}, ...HTTP]}],
    });
    expect(message(result)).toBeUndefined();
    expect(ips(object)).toEqual([['10.0.0.1', '10.0.0.2']]);
  });

  it.each<[string, object, object]>([
    ['an empty name of a port', {ports: [{port: 80}]}, {ports: [{port: 80, name: ''}]}],
    ['a null name of a port', {ports: [{port: 80}]}, {ports: [{port: 80, name: null}]}],
    ['a null appProtocol', {ports: [{port: 80}]}, {ports: [{port: 80, appProtocol: null}]}],
    ['an empty protocol', {ports: [{port: 80}]}, {ports: [{port: 80, protocol: ''}]}],
    ['null ports', {}, {ports: null}],
    ['no port', {}, {ports: []}],
    ['an empty uid', {}, {addresses: [{ip: '10.0.0.1', targetRef: {uid: ''}}]}],
    ['a null uid', {}, {addresses: [{ip: '10.0.0.1', targetRef: {uid: null, kind: 'Pod'}}]}],
    ['a null nodeName', {}, {addresses: [{ip: '10.0.0.1', nodeName: null}]}],
  ])(
    'E-048 E-219 E-221 an item is the same with %s: applied again nothing changes, and other writers keep theirs',
    (_what, plain, odd) => {
      const object = shared();
      const first = {addresses: [{ip: '10.0.0.1'}]};
      object.apply('w1', {subsets: [{...first, ...odd}]} as JsonObject);
      object.apply('w2', {subsets: [{...first, ...plain, addresses: [{ip: '10.0.0.2'}]}]} as JsonObject);
      const stored = object.stored;
      expect(ips(object)).toEqual([['10.0.0.1', '10.0.0.2']]);
      object.apply('w1', {subsets: [{...first, ...odd}]} as JsonObject);
      expect(object.stored).toEqual(stored);
      object.apply('w1', {});
      expect(ips(object)).toEqual([['10.0.0.2']]);
    },
  );

  it('E-048 E-221 the order in which a writer names what others name too is no change', () => {
    const object = shared();
    const ports = (...numbers: number[]) => numbers.map(port => ({port, name: `p${port}`}));
    const at = (ip: string, ...numbers: number[]) => ({addresses: [{ip}], ports: ports(...numbers)});
    object.apply('w1', {subsets: [at('10.0.0.1', 80, 81), at('10.0.0.1', 90)]});
    object.apply('w2', {subsets: [at('10.0.0.2', 90), at('10.0.0.2', 81, 80)]});
    const stored = object.stored;
    expect(ips(object)).toEqual([
      ['10.0.0.1', '10.0.0.2'],
      ['10.0.0.1', '10.0.0.2'],
    ]);
    object.apply('w1', {subsets: [at('10.0.0.1', 90), at('10.0.0.1', 81, 80)]});
    object.apply('w2', {subsets: [at('10.0.0.2', 80, 81), at('10.0.0.2', 90)]});
    expect(object.stored).toEqual(stored);
  });

  it('E-221 what cannot be an address is refused, whoever shares the object', () => {
    expect(message(shared().apply('w1', {subsets: [{addresses: [{ip: 5}]}]}))).toContain('.ip');
  });

  it('E-049 E-221 keeps addresses of one IP with different uids apart', () => {
    const object = shared();
    const of = (uid: string) => ({subsets: [{addresses: [{ip: '10.0.0.1', targetRef: {uid}}]}]});
    object.apply('w1', of('u1'));
    object.apply('w2', of('u2'));
    expect(ips(object)).toEqual([['10.0.0.1', '10.0.0.1']]);
  });

  it('E-221 notes plain writes per address too', () => {
    const object = shared();
    object.apply('w1', {subsets: [subset(['10.0.0.1'])]});
    object.patch('prober', stored => {
      (stored['subsets'] as unknown as {addresses: object[]}[])[0]?.addresses.push({ip: '10.0.0.9'});
    });
    expect(object.owners()['prober Update']).toEqual({
      'f:subsets': {[KEY]: {'f:addresses': {'k:{"ip":"10.0.0.9"}': {}}}},
    });
    object.apply('w1', {subsets: [subset(['10.0.0.2'])]});
    expect(ips(object)[0]?.toSorted()).toEqual(['10.0.0.2', '10.0.0.9']);
  });

  it('E-221 gives the whole block to the owners of its parts when the annotation goes', () => {
    const object = shared();
    object.apply('w1', {subsets: [subset(['10.0.0.1'])]});
    object.apply('w2', {subsets: [subset(['10.0.0.2'])]});
    object.apply('admin', {});
    expect(message(object.apply('w2', {subsets: [subset(['10.0.0.3'])]}))).toBe(
      'Apply failed with 1 conflict: conflict with "w1": .subsets',
    );
  });

  it('E-221 gives the union of what all writers hold, in whatever order they come', () => {
    const own = fc.uniqueArray(fc.integer({min: 1, max: 6}), {maxLength: 4});
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('w1', 'w2', 'w3'), own), {maxLength: 12}), rounds => {
        const object = shared();
        const held = new Map<string, readonly number[]>();
        for (const [writer, numbers] of rounds) {
          const body = numbers.length === 0 ? {} : {subsets: [subset(numbers.map(n => `10.0.0.${n}`))]};
          expect(message(object.apply(writer, body as unknown as JsonObject))).toBeUndefined();
          held.set(writer, numbers);
        }
        const expected = [...new Set([...held.values()].flat())].sort().map(n => `10.0.0.${n}`);
        expect((ips(object)[0] ?? []).toSorted()).toEqual(expected);
      }),
    );
  });
});
