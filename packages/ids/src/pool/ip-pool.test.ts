// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {rangeOf} from '../testing/range-of.ts';
import {newRulePath, tenantOf} from './forwarding-rule.ts';
import {IpPool} from './ip-pool.ts';

const nothingTaken = {ip: () => false, vni: () => false};

describe('the pool', () => {
  test('I-053 gives every address once, then says that none is left', () => {
    const pool = new IpPool(rangeOf('10.0.0.0/28'));
    const leases = Array.from({length: 14}, () => pool.lease(nothingTaken));
    expect(new Set(leases.map(l => l?.ip)).size).toBe(14);
    expect(new Set(leases.map(l => l?.vni)).size).toBe(14);
    expect(pool.lease(nothingTaken)).toBeUndefined();
    const [first] = leases;
    if (first !== undefined) pool.release(first);
    expect(pool.lease(nothingTaken)?.ip).toBe(first?.ip);
  });

  test('what is taken elsewhere is left out, and a freed address is not taken again at once', () => {
    const pool = new IpPool(rangeOf('10.0.0.0/29'));
    const first = pool.lease({ip: ip => ip === '10.0.0.1', vni: vni => vni === 1});
    expect(first).toEqual({ip: '10.0.0.2', vni: 2});
    if (first !== undefined) pool.release(first);
    expect(pool.lease(nothingTaken)).toEqual({ip: '10.0.0.3', vni: 3});
  });

  test('43-1 a jump leaves the VNIs, too, that another server on this machine has', () => {
    const pool = new IpPool(rangeOf('10.0.0.0/24'), 1000);
    expect(pool.lease(nothingTaken)).toEqual({ip: '10.0.0.1', vni: 1});
    pool.jump(0.5);
    expect(pool.lease(nothingTaken)).toEqual({ip: '10.0.0.128', vni: 501});
  });

  test('when VNIs run out, the address is given back', () => {
    const pool = new IpPool(rangeOf('10.0.0.0/30'), 1);
    expect(pool.lease(nothingTaken)).toBeDefined();
    expect(pool.lease(nothingTaken)).toBeUndefined();
    const wide = new IpPool(rangeOf('10.0.0.0/30'), 2);
    expect(wide.lease({ip: () => false, vni: () => true})).toBeUndefined();
    expect([wide.lease(nothingTaken), wide.lease(nothingTaken)].filter(l => l !== undefined)).toHaveLength(2);
  });
});

describe('rule names', () => {
  const random = {bytes: (n: number) => new Uint8Array(n).fill(1)};
  test.each([
    ['projects/p/locations/us-central1-a/endpoints/guard', 'us-central1', 'ids-fr-guard-bbbbbbbbbbbbbbbb'],
    ['projects/p/locations/local/endpoints/abcdef-long', 'local', 'ids-fr-abcdef-bbbbbbbbbbbbbbbb'],
    ['projects/p/locations/europe-west1-b/endpoints/abcde-f', 'europe-west1', 'ids-fr-abcde--bbbbbbbbbbbbbbbb'],
  ])('I-052 %s', (name, region, rule) => {
    expect(newRulePath(name, random)).toBe(`projects/${tenantOf('p')}/regions/${region}/forwardingRules/${rule}`);
    expect(rule).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
  });
  test('the tenant is the same for one project, another for another', () => {
    expect(tenantOf('p')).toMatch(/^[a-z][0-9a-f]{16}-tp$/);
    expect(tenantOf('p')).toBe(tenantOf('p'));
    expect(tenantOf('p')).not.toBe(tenantOf('q'));
  });
});
