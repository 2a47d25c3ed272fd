// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of an Event in its stored form: the old ones for both groups, and those that only events.k8s.io adds.
 * Ref: kubernetes v1.36 pkg/apis/core/validation/events.go.
 */
import {type KindDefinition, validateObjectMeta, validateObjectMetaChange} from '@palisade/apiserver';
import {dns1123SubdomainFaults, type FieldError, invalid, qualifiedNameFaults, required} from '@palisade/kube-wire';
import {immutableFaults} from './immutable.ts';
import type {CoreEvent, EventSeries} from './types.ts';

const LENGTH_MAX = {reportingInstance: 128, action: 128, reason: 128, message: 1024} as const;
const TYPES = ['Normal', 'Warning'];
/** Where an event about something without a namespace may be. */
const SHARED_NAMESPACES = ['default', 'kube-system'];

/** What the field is called in errors of a request; all other fields have the names of the stored form. */
export type ReportingField = 'reportingComponent' | 'reportingController';

export const validateOldRules = (event: CoreEvent, reportingField: ReportingField): FieldError[] => {
  const {namespace = ''} = event.metadata;
  return [
    ...(event.eventTime == null ? namespaceFaults(event, namespace) : newEventFaults(event, namespace, reportingField)),
    ...dns1123SubdomainFaults(namespace).map(fault => invalid('namespace', namespace, fault)),
  ];
};

/** Without a time of its own it is an event of old, which is beside what it is about. */
const namespaceFaults = ({involvedObject}: CoreEvent, namespace: string): FieldError[] => {
  const about = involvedObject?.namespace ?? '';
  const fits = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
  return fits ? [] : [mismatch(about)];
};

const mismatch = (about: string): FieldError =>
  invalid('involvedObject.namespace', about, 'does not match event.namespace');

const newEventFaults = (event: CoreEvent, namespace: string, reportingField: ReportingField): FieldError[] => {
  const {reportingComponent = '', involvedObject} = event;
  const about = involvedObject?.namespace ?? '';
  return [
    ...(about === '' && !SHARED_NAMESPACES.includes(namespace) ? [mismatch(about)] : []),
    ...(reportingComponent === '' ? [required(reportingField)] : []),
    ...qualifiedNameFaults(reportingComponent).map(fault => invalid(reportingField, reportingComponent, fault)),
    ...textFaults(event, 'reportingInstance'),
    ...textFaults(event, 'action'),
    ...textFaults(event, 'reason'),
    ...lengthFaults(event, 'message'),
  ];
};

const textFaults = (event: CoreEvent, field: keyof typeof LENGTH_MAX): FieldError[] =>
  (event[field] ?? '') === '' ? [required(field)] : lengthFaults(event, field);

/** Counted in bytes; the value is not shown. */
const lengthFaults = (event: CoreEvent, field: keyof typeof LENGTH_MAX): FieldError[] =>
  Buffer.byteLength(event[field] ?? '') > LENGTH_MAX[field]
    ? [invalid(field, '', `can have at most ${LENGTH_MAX[field]} characters`)]
    : [];

/** A new event of events.k8s.io. */
export const validateNewRules = (event: CoreEvent, kind: KindDefinition): FieldError[] => {
  const {type = '', source = {}} = event;
  return [
    ...validateOldRules(event, 'reportingController'),
    ...validateObjectMeta(event.metadata, kind),
    ...seriesFaults(event.series),
    ...(event.eventTime == null ? [required('eventTime')] : []),
    ...(TYPES.includes(type) ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...(event.firstTimestamp == null ? [] : [unset('firstTimestamp')]),
    ...(event.lastTimestamp == null ? [] : [unset('lastTimestamp')]),
    ...((event.count ?? 0) === 0 ? [] : [unset('count')]),
    ...((source.component ?? '') === '' && (source.host ?? '') === '' ? [] : [unset('source')]),
  ];
};

const unset = (field: string): FieldError => invalid(field, '', 'needs to be unset');

const seriesFaults = (series: EventSeries | null | undefined): FieldError[] => {
  if (series == null) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime == null ? [required('series.lastObservedTime')] : []),
  ];
};

/** An update through events.k8s.io: all but metadata and the series stays. */
export const validateNewUpdate = (event: CoreEvent, before: CoreEvent, kind: KindDefinition): FieldError[] => [
  ...validateOldRules(event, 'reportingController'),
  ...validateObjectMetaChange(event.metadata, before.metadata, kind),
  ...(isSameSeries(event.series, before.series) ? [] : seriesFaults(event.series)),
  ...immutableFaults(event, before),
];

const isSameSeries = (a: EventSeries | null | undefined, b: EventSeries | null | undefined): boolean =>
  a == null || b == null
    ? (a ?? null) === (b ?? null)
    : (a.count ?? 0) === (b.count ?? 0) && (a.lastObservedTime ?? null) === (b.lastObservedTime ?? null);
