// SPDX-License-Identifier: Apache-2.0
import {keyOf, toBytes} from '../model/keys.ts';
import {newRulePath} from '../pool/forwarding-rule.ts';
import type {IpPool} from '../pool/ip-pool.ts';
import type {Service} from '../service.ts';

/**
 * Gives a CREATING endpoint its address, VNI and rule name, in one transaction with the keys that make them unique.
 * `exhausted`: nothing is free. `changed`: the endpoint is no longer CREATING, or has an allocation already.
 */
export const allocate = async (
  deps: Pick<Service, 'state' | 'random'>,
  pool: IpPool,
  name: string,
): Promise<'allocated' | 'exhausted' | 'changed'> => {
  const {addresses, vnis} = deps.state;
  const lease = pool.lease({
    ip: ip => addresses.get(ip) !== undefined,
    vni: vni => vnis.get(String(vni)) !== undefined,
  });
  if (lease === undefined) return 'exhausted';
  try {
    return await deps.state.commit<'allocated' | 'changed'>(() => {
      const held = deps.state.endpoints.get(name);
      if (held?.record.state !== 'CREATING' || held.record.allocation !== undefined)
        return {ops: [], result: 'changed'};
      const allocation = {...lease, rule: newRulePath(name, deps.random)};
      const owner = toBytes({endpoint: name});
      return {
        ops: [
          {
            op: 'put',
            key: keyOf('endpoints', name),
            value: toBytes({...held.record, allocation}),
            expected: held.revision,
          },
          {op: 'put', key: keyOf('addresses', lease.ip), value: owner, expected: 0n},
          {op: 'put', key: keyOf('vnis', String(lease.vni)), value: owner, expected: 0n},
        ],
        result: 'allocated',
      };
    });
  } finally {
    pool.release(lease);
  }
};
