// SPDX-License-Identifier: Apache-2.0
/** The commands that mirror traffic to an endpoint, as `palisade mirror` prints them. */
import type {MirrorSetUpMessage} from '@palisade/ids-wire';
import {EXAMPLE_INTERFACE, isInterfaceName, MIRROR_TARGETS, setUpOf} from '@palisade/ids-wire/mirror';
import type {Caller} from '../auth.ts';
import {invalidArgument, RpcError} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';
import {getEndpoint} from './get-endpoint.ts';

/** Throws INVALID_ARGUMENT; FAILED_PRECONDITION for an endpoint without an address yet; and as getEndpoint. */
export const mirrorSetUp = async (
  service: Service,
  caller: Caller,
  text: string,
  {target, from}: {readonly target: string | undefined; readonly from: string | undefined},
): Promise<MirrorSetUpMessage> => {
  const {name: endpoint, allocation, state} = await getEndpoint(service, caller, text);
  const targets = MIRROR_TARGETS.filter(one => [undefined, '', 'all', one].includes(target));
  const violations = [
    ...(targets.length > 0
      ? []
      : [{field: 'target', description: `"${target}" is not one of ${MIRROR_TARGETS.join(', ')}, all`}]),
    ...(from === undefined || isInterfaceName(from)
      ? []
      : [{field: 'from', description: `"${from}" is not the name of an interface, such as eth0`}]),
  ];
  if (violations.length > 0) throw invalidArgument(violations);
  if (allocation === undefined || state === 'CREATING')
    throw new RpcError('FAILED_PRECONDITION', `${endpoint} is ${state} and has no address yet; wait until it is READY`);
  const {ip: endpointIp, vni} = allocation;
  const driver = service.driver();
  const attach = {endpoint, ip: endpointIp, vni, driver};
  return {
    endpoint,
    endpointIp,
    vni,
    driver,
    targets: Object.fromEntries(targets.map(one => [one, setUpOf(one, attach, from ?? EXAMPLE_INTERFACE)])),
  };
};
