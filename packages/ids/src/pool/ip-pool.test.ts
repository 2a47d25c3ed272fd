// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {newRulePath, tenantOf} from './forwarding-rule.ts';
import {formatIpv4, IpPool, parsePool} from './ip-pool.ts';

const range = (text: string) => {
  const pool = parsePool(text);
  if (pool === undefined) throw new Error(text);
  return pool;
};
const nothingTaken = {ip: () => false, vni: () => false};

describe('the pool', () => {
  test.each([
    ['127.77.0.0/16', '127.77.0.1', 65_534],
    ['127.77.3.9/16', '127.77.0.1', 65_534],
    ['10.0.0.4/30', '10.0.0.5', 2],
    ['10.0.0.0/8', '10.0.0.1', 16_777_214],
    ['255.255.255.0/24', '255.255.255.1', 254],
  ])('%s begins at %s and has %d addresses', (text, first, count) => {
    expect([formatIpv4(range(text).first), range(text).count]).toEqual([first, count]);
  });
  test.each(['', '10.0.0.0', '10.0.0.0/7', '10.0.0.0/31', '10.0.0.256/24', '10.0.0/24', '::1/64', '10.0.0.0/24 '])(
    'refuses %j',
    text => {
      expect(parsePool(text)).toBeUndefined();
    },
  );

  test('I-053 gives every address once, then says that none is left', () => {
    const pool = new IpPool(range('10.0.0.0/28'));
    const leases = Array.from({length: 14}, () => pool.lease(nothingTaken));
    expect(new Set(leases.map(l => l?.ip)).size).toBe(14);
    expect(new Set(leases.map(l => l?.vni)).size).toBe(14);
    expect(pool.lease(nothingTaken)).toBeUndefined();
    const [first] = leases;
    if (first !== undefined) pool.release(first);
    expect(pool.lease(nothingTaken)?.ip).toBe(first?.ip);
  });

  test('what is taken elsewhere is left out, and a freed address is not taken again at once', () => {
    const pool = new IpPool(range('10.0.0.0/29'));
    const first = pool.lease({ip: ip => ip === '10.0.0.1', vni: vni => vni === 1});
    expect(first).toEqual({ip: '10.0.0.2', vni: 2});
    if (first !== undefined) pool.release(first);
    expect(pool.lease(nothingTaken)).toEqual({ip: '10.0.0.3', vni: 3});
  });

  test('when VNIs run out, the address is given back', () => {
    const pool = new IpPool(range('10.0.0.0/30'), 1);
    expect(pool.lease(nothingTaken)).toBeDefined();
    expect(pool.lease(nothingTaken)).toBeUndefined();
    const wide = new IpPool(range('10.0.0.0/30'), 2);
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
