// SPDX-License-Identifier: Apache-2.0
/** Events of both groups: alone, and the same objects through the one and the other. */
import fc from 'fast-check';
import {type Body, OWN_NAMESPACE, rarely, type Subject, some} from '../steps.ts';

const AT = '2020-01-02T03:04:05Z';
const AT_MICRO = '2020-01-02T03:04:05.678901Z';
const LONG = 'x'.repeat(1025);

/** Of another type than the schema's are counts alone: of two such faults in an apply Go's maps decide which comes first. */
const time = rarely(fc.constantFrom(AT, '2021-01-02T03:04:05Z'), fc.constantFrom(null, 'noon', AT_MICRO));
const microTime = rarely(
  fc.constantFrom(AT_MICRO, '2021-01-02T03:04:05.000001Z'),
  fc.constantFrom(null, AT, 'noon', '2020-01-02T05:04:05.678901+02:00'),
);
const namespace = rarely(fc.constant(OWN_NAMESPACE), fc.constantFrom('', 'other', null));
const reference = some(
  {
    kind: fc.constantFrom('Pod', 'Node', ''),
    namespace,
    name: fc.constantFrom('p1', 'p2', ''),
    uid: fc.constant('u1'),
    apiVersion: fc.constantFrom('v1', 'apps/v1'),
    resourceVersion: fc.constant('5'),
    fieldPath: fc.constant('spec.containers{x}'),
  },
  'kind',
  'namespace',
);
const source = rarely(
  some({component: fc.constantFrom('kubelet', ''), host: fc.constantFrom('n1', '')}),
  fc.constant(null),
);
const count = rarely(fc.constantFrom(0, 1, 2, 3), fc.constantFrom(null, -1, '3', 2 ** 31));
const series = rarely(
  some({count: rarely(fc.constantFrom(2, 3), fc.constantFrom(0, 1)), lastObservedTime: microTime}, 'count'),
  fc.constant(null),
);
const word = (long: string, ...values: string[]) => rarely(fc.constantFrom(...values), fc.constantFrom('', null, long));
const controller = rarely(
  fc.constantFrom('example.com/ctl', 'ctl'),
  fc.constantFrom('', 'bad name!', 'a/b/c', '-a', null),
);
/** Under the same names in both groups. */
const common = {
  eventTime: microTime,
  series,
  action: word(LONG.slice(0, 129), 'Act', 'Bind'),
  reason: word(LONG.slice(0, 129), 'Why', 'Started'),
  related: rarely(reference, fc.constantFrom(null, {})),
  type: rarely(fc.constantFrom('Normal', 'Warning'), fc.constantFrom('', 'Strange', null)),
  reportingInstance: word(LONG.slice(0, 129), 'i1', 'i2'),
};

const core = some(
  {
    ...common,
    involvedObject: reference,
    message: word(LONG, 'm', ' spaces around\n'),
    source,
    firstTimestamp: time,
    lastTimestamp: time,
    count,
    reportingComponent: controller,
  },
  'involvedObject',
);
/** Most of them complete: else nothing would be stored. */
const complete = ['eventTime', 'action', 'reason', 'type', 'reportingInstance'] as const;
const grouped = some(
  {
    ...common,
    regarding: reference,
    note: word(LONG, 'm', ' spaces around\n'),
    reportingController: controller,
  },
  'regarding',
  'reportingController',
  ...complete,
);
const groupedOrBroken = fc.oneof(
  {weight: 6, arbitrary: grouped},
  {
    weight: 1,
    arbitrary: some({
      ...common,
      regarding: reference,
      note: word(LONG, 'm'),
      reportingController: controller,
      deprecatedSource: source,
      deprecatedFirstTimestamp: time,
      deprecatedLastTimestamp: time,
      deprecatedCount: count,
    }),
  },
);

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const COMMON_POINTERS = ['/series', '/series/count', '/type', '/related', '/related/name', '/reason', '/eventTime'];
const COMMON_SELECTORS = ['metadata.name=web', 'type=Normal', 'reason!=Why', 'message=m', 'involvedObject.name=p1'];
const VALUES = fc.oneof(fc.constantFrom('Other', 'Normal', 2, null, {}, AT, AT_MICRO), reference, source);

export const coreEvents: Subject = {
  apiVersion: 'v1',
  kind: 'Event',
  resource: 'events',
  fields: core as fc.Arbitrary<Body>,
  valid: {involvedObject: {kind: 'Pod', namespace: OWN_NAMESPACE, name: 'p'}},
  pointers: [
    ...COMMON_POINTERS,
    '/count',
    '/message',
    '/source',
    '/source/host',
    '/involvedObject/name',
    '/lastTimestamp',
  ],
  values: VALUES,
  fieldSelectors: [
    ...COMMON_SELECTORS,
    ...REFERENCE.map(field => `involvedObject.${field}=`),
    'source=kubelet',
    'reportingComponent=ctl',
    'reportingController=ctl',
  ],
};

export const groupedEvents: Subject = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  resource: 'events',
  fields: groupedOrBroken as fc.Arbitrary<Body>,
  valid: {
    regarding: {kind: 'Pod', namespace: OWN_NAMESPACE, name: 'p'},
    eventTime: AT_MICRO,
    reportingController: 'example.com/ctl',
    reportingInstance: 'i1',
    action: 'Act',
    reason: 'Why',
    type: 'Normal',
  },
  pointers: [...COMMON_POINTERS, '/deprecatedCount', '/note', '/deprecatedSource', '/regarding/name', '/regarding'],
  values: VALUES,
  fieldSelectors: [
    ...COMMON_SELECTORS,
    ...REFERENCE.map(field => `regarding.${field}=`),
    'source=kubelet',
    'reportingController=ctl',
    'reportingComponent=ctl',
  ],
};

export const eventsOfBoth: Subject = {...coreEvents, alsoAs: groupedEvents};
