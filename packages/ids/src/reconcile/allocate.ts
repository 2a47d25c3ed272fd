// SPDX-License-Identifier: Apache-2.0
import type {TxnOp} from '@palisade/store';
import type {Allocation} from '../model/endpoint-record.ts';
import {keyOf, toBytes} from '../model/keys.ts';
import {newRulePath} from '../pool/forwarding-rule.ts';
import type {IpPool} from '../pool/ip-pool.ts';
import type {Service} from '../state/service.ts';

/**
 * Gives a CREATING endpoint its address, VNI and rule name, in one transaction with the keys that make them unique.
 * `instead`: the allocation that it replaces, and that is given back. `exhausted`: nothing is free. `changed`: the endpoint is no
 * longer CREATING, or has another allocation than `instead`.
 */
export const allocate = async (
  deps: Pick<Service, 'state' | 'random'>,
  pool: IpPool,
  name: string,
  instead?: Allocation,
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
      if (held?.record.state !== 'CREATING' || held.record.allocation?.ip !== instead?.ip)
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
          ...(instead === undefined ? [] : freeAllocation(deps.state, instead)),
        ],
        result: 'allocated',
      };
    });
  } finally {
    pool.release(lease);
  }
};

/** The steps that give an address and a VNI back. */
export const freeAllocation = (state: Service['state'], allocation: Allocation): readonly TxnOp[] =>
  (
    [
      ['addresses', allocation.ip],
      ['vnis', String(allocation.vni)],
    ] as const
  ).flatMap(([kind, name]): TxnOp[] => {
    const held = state[kind].get(name);
    return held === undefined ? [] : [{op: 'delete', key: keyOf(kind, name), expected: held.revision}];
  });
