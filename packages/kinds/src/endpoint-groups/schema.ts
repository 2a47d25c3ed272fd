// SPDX-License-Identifier: Apache-2.0
/** The structs of EndpointGroup. Ref: requirements E-005, E-006, E-042, E-084. */
import {kindStructs, kubeTypes, type TypeTable} from '@palisade/kube-wire';
import {CHECKED_PORT, checkStructs, PLATFORM_PREFIX} from '../checks/schema.ts';
import {
  flag,
  int32,
  int64,
  keyedList,
  microTime,
  type Numberless,
  numbered,
  struct,
  structList,
  structType,
  tableOf,
  text,
} from '../struct-fields.ts';

export const PLATFORM_GROUP = 'platform.io';
export const PLATFORM_VERSION = 'v1alpha1';
export const ENDPOINT_GROUP = `${PLATFORM_PREFIX}.EndpointGroup`;
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const SPEC = `${ENDPOINT_GROUP}Spec`;
const STATUS = `${ENDPOINT_GROUP}Status`;
const MEMBER = `${ENDPOINT_GROUP}Member`;
const MEMBER_STATUS = `${ENDPOINT_GROUP}MemberStatus`;
const PORT_STATUS = `${ENDPOINT_GROUP}PortStatus`;
const RESULT = `${PLATFORM_PREFIX}.CheckResult`;

const foreign = (field: Numberless, go: string): Numberless => ({...field, go});

export const endpointGroupTypes: TypeTable = {
  ...kubeTypes,
  ...checkStructs,
  ...kindStructs({
    group: PLATFORM_GROUP,
    version: PLATFORM_VERSION,
    kind: 'EndpointGroup',
    typeName: ENDPOINT_GROUP,
    doc: 'EndpointGroup composes the Endpoints object of the same name from members, and takes out those whose checks fail. It has at most 50,000 pairs of an address and a port: more in the spec are refused, and what newer registrations offer beyond is left out.',
    fields: numbered(
      [
        struct(SPEC, 'spec', 'What the group is made of.', {keepEmpty: true}),
        struct(STATUS, 'status', 'How its members do. Written by the server.', {keepEmpty: true}),
      ],
      2,
    ),
  }),
  ...tableOf(
    structType(SPEC, 'EndpointGroupSpec is what a group is made of.', [
      keyedList(MEMBER, ['ip'], 'members', 'Members that do not come and go.'),
      foreign(
        struct(
          `${META}.LabelSelector`,
          'selector',
          'EndpointRegistrations of the same namespace that are members, too, by their labels. Not given: none; empty: all.',
          {pointer: true},
        ),
        '*v1.LabelSelector',
      ),
      keyedList(
        CHECKED_PORT,
        ['port', 'protocol'],
        'ports',
        'Ports that members offer, at most 100. A registration may give another number to a port of the same name. Not given: the ports of each registration.',
      ),
      int32(
        'panicThresholdPercent',
        'If fewer of the checked members than this pass, none is taken out, 0 to 100. 0 or not given: off.',
      ),
    ]),
    structType(MEMBER, 'EndpointGroupMember is an address that offers all ports of the group.', [
      text('ip', 'IP address, by the rules of Endpoints.', {required: true, keepEmpty: true}),
      text('hostname', 'Host name, a DNS label.'),
      text('nodeName', 'Name of the node that hosts the member.', {pointer: true}),
      foreign(
        struct('io.k8s.api.core.v1.ObjectReference', 'targetRef', 'The object behind the member.', {pointer: true}),
        '*v1.ObjectReference',
      ),
    ]),
    structType(STATUS, 'EndpointGroupStatus is how the members of a group do.', [
      int64('observedGeneration', 'Generation of the spec that this is about.'),
      int32('ready', 'Members that are ready at each of their ports.', {keepEmpty: true}),
      int32('total', 'Members.', {keepEmpty: true}),
      foreign(keyedList(`${META}.Condition`, ['type'], 'conditions', 'Composed, Panic.'), '[]v1.Condition'),
      structList(
        MEMBER_STATUS,
        'members',
        'One for each address, with at most 10,000 ports in all; members that are ready are left out first.',
      ),
    ]),
    structType(MEMBER_STATUS, 'EndpointGroupMemberStatus is how one member does.', [
      text('ip', 'IP address.', {required: true, keepEmpty: true}),
      text('registration', 'Name of the EndpointRegistration that it comes from; not given for members of the spec.'),
      flag('draining', 'It has asked to get no new work.'),
      structList(PORT_STATUS, 'ports', 'One for each port that it offers.'),
    ]),
    structType(PORT_STATUS, 'EndpointGroupPortStatus is how a member does at one port.', [
      text('name', 'Name of the port.'),
      int32('port', 'Port number.', {required: true, keepEmpty: true}),
      text('protocol', 'TCP, UDP or SCTP.'),
      text(
        'state',
        'Ready, NotReady, Starting (a check, and neither successThreshold of its results in a row have passed nor failureThreshold have failed yet: not ready) or Unchecked (no check: ready).',
      ),
      microTime('since', 'Time of the last change of state.', {pointer: true}),
      text('lastError', 'Why the last check failed that did.'),
      structList(
        RESULT,
        'results',
        'The last 20 checks, the newest first; fewer in groups of more than 250 ports of members.',
      ),
    ]),
    structType(RESULT, 'CheckResult is the end of one check.', [
      microTime('time', 'When it ended.', {pointer: true}),
      flag('passed', 'Whether it passed.', {keepEmpty: true}),
      int32('milliseconds', 'How long it took.'),
      text('message', 'Why it failed, or what is worth knowing.'),
    ]),
  ),
};
