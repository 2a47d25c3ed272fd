// SPDX-License-Identifier: Apache-2.0
/** The structs of EndpointRegistration. Ref: requirements E-221. */
import {kindStructs, kubeTypes, type TypeTable} from '@palisade/kube-wire';
import {CHECKED_PORT, checkStructs, PLATFORM_PREFIX} from '../checks/schema.ts';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import {
  flag,
  int32,
  keyedList,
  microTime,
  numbered,
  struct,
  structType,
  tableOf,
  text,
  textSet,
} from '../struct-fields.ts';
import {REMOVE_AFTER_SECONDS_DEFAULT, TTL_SECONDS_DEFAULT} from './types.ts';

export const ENDPOINT_REGISTRATION = `${PLATFORM_PREFIX}.EndpointRegistration`;
const SPEC = `${ENDPOINT_REGISTRATION}Spec`;
const STATUS = `${ENDPOINT_REGISTRATION}Status`;

export const endpointRegistrationTypes: TypeTable = {
  ...kubeTypes,
  ...checkStructs,
  ...kindStructs({
    group: PLATFORM_GROUP,
    version: PLATFORM_VERSION,
    kind: 'EndpointRegistration',
    typeName: ENDPOINT_REGISTRATION,
    doc: 'EndpointRegistration is a machine that offers ports in a group, as long as it renews the Lease of the same name. A user has at most 1,000 in a namespace, unless the user may `manage` them.',
    fields: numbered(
      [
        struct(SPEC, 'spec', 'What the machine offers.', {keepEmpty: true}),
        struct(STATUS, 'status', 'Whether it is there. Written by the server.', {keepEmpty: true}),
      ],
      2,
    ),
  }),
  ...tableOf(
    structType(SPEC, 'EndpointRegistrationSpec is what a machine offers.', [
      text('group', 'Group that it is for; the server adds it as the label `platform.io/group`. Cannot be changed.', {
        required: true,
        keepEmpty: true,
      }),
      text('user', 'User who created it, set by the server. Others need the verb `manage` to change or delete it.'),
      textSet('addresses', 'IP addresses of the machine, by the rules of Endpoints, 1 to 16.'),
      text('hostname', 'Host name, a DNS label.'),
      text('nodeName', 'Name of the node that hosts the machine.', {pointer: true}),
      keyedList(
        CHECKED_PORT,
        ['port', 'protocol'],
        'ports',
        'Ports that it offers, at most 100. Not given: those of the group.',
      ),
      int32(
        'ttlSeconds',
        'Without a renewal for so long, it is out of its groups, 1 to 86400; 30 when not given. A leaseDurationSeconds of the Lease wins, up to 86400, if the Lease names this registration as an owner.',
        {default: TTL_SECONDS_DEFAULT},
      ),
      int32('removeAfterSeconds', 'So long after that the registration is deleted, 1 to 2592000; 600 when not given.', {
        default: REMOVE_AFTER_SECONDS_DEFAULT,
      }),
      flag('draining', 'It wants no new work: it is not ready at any port.'),
    ]),
    structType(STATUS, 'EndpointRegistrationStatus is whether a machine is there.', [
      text('state', 'Live or Expired.'),
      microTime('since', 'Time of the last change of state.', {pointer: true}),
    ]),
  ),
};
