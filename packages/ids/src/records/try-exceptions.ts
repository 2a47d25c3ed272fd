// SPDX-License-Identifier: Apache-2.0
/** What exceptions would have hidden of the alerts that are stored: an answer before they are set. Changes nothing. */
import {
  type EndpointName,
  exceptionFaults,
  type FieldViolation,
  formatIdsEndpointName,
  idleExceptions,
  parseThreatId,
  SEVERITIES,
  type Severity,
  type ThreatRecord,
  type TriedException,
  type TriedExceptions,
  WILDCARD,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {unknownThreatIds} from '../endpoints/exception-warnings.ts';
import {RECORDS_PAGE, TRIED_ALERTS_DEFAULT, TRIED_ALERTS_MAX} from '../limits.ts';
import {unknownFields} from '../request-body.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {SensorHost} from '../sensor-host.ts';
import type {Service} from '../state/service.ts';
import {recordScope} from './record-query.ts';
import type {RecordPosition, RecordStore} from './record-store.ts';

/** As sent; judged here. */
export type TryExceptionsRequest = {readonly threatExceptions?: unknown; readonly last?: unknown};

const FIELDS = ['threatExceptions', 'last'];

const listFaults = (given: unknown): string[] => {
  if (!Array.isArray(given) || given.length === 0)
    return ['is required: a list of gid:sid or sid, such as ["1:2019401"]'];
  return given.every(item => typeof item === 'string')
    ? exceptionFaults(given).map(({at, reason}) => (at === undefined ? reason : `element ${at} ${reason}`))
    : ['must be a list of strings'];
};

/** Throws INVALID_ARGUMENT with all faults. */
const parse = (body: TryExceptionsRequest): {readonly exceptions: readonly string[]; readonly last: number} => {
  const {threatExceptions, last = TRIED_ALERTS_DEFAULT} = body;
  const violations: FieldViolation[] = [
    ...unknownFields(body, FIELDS),
    ...listFaults(threatExceptions).map(description => ({field: 'threatExceptions', description})),
  ];
  if (!Number.isInteger(last) || Number(last) < 1 || Number(last) > TRIED_ALERTS_MAX)
    violations.push({field: 'last', description: `must be a whole number from 1 to ${TRIED_ALERTS_MAX}`});
  if (violations.length > 0) throw invalidArgument(violations);
  return {exceptions: [...new Set(threatExceptions as readonly string[])], last: Number(last)};
};

type Alerts = Pick<ThreatRecord, 'threat_id' | 'name' | 'alert_severity' | 'alert_time'> & {readonly count: number};

/** The records of the last `max` alerts, oldest first; of the oldest one only the alerts within `max` count. */
const lastAlerts = async (records: RecordStore, name: EndpointName, max: number): Promise<readonly Alerts[]> => {
  const newestFirst: Alerts[] = [];
  let left = max;
  const selection = {kind: 'threats', name, filter: ''} as const;
  for (let after: RecordPosition | undefined; left > 0; ) {
    const page = await records.page({...selection, orderBy: 'event_time desc', after, limit: RECORDS_PAGE});
    for (const {record} of page.records) {
      if (left <= 0) break;
      const {threat_id, name: threat, alert_severity, alert_time, repeat_count} = record as ThreatRecord;
      const count = Math.min(Number(repeat_count), left);
      newestFirst.push({threat_id, name: threat, alert_severity, alert_time, count});
      left -= count;
    }
    after = page.next;
    if (after === undefined) break;
  }
  return newestFirst.reverse();
};

const canonical = (text: string): string => {
  const id = parseThreatId(text);
  return id === undefined ? text : `${id.gid}:${id.sid}`;
};

const UNKNOWN = 'matches no signature of the active rule set';

const tried = (
  alerts: readonly Alerts[],
  exceptions: readonly string[],
  unknown: ReadonlySet<string>,
): readonly TriedException[] => {
  const idle = new Map(idleExceptions(exceptions).map(({at, reason}) => [exceptions[Number(at)], reason]));
  const found = new Map<string, {readonly name: string; readonly count: number}>();
  for (const {threat_id, name, count} of alerts)
    found.set(threat_id, {name, count: count + (found.get(threat_id)?.count ?? 0)});
  return exceptions.map(exception => {
    const {name, count = 0} = found.get(canonical(exception)) ?? {};
    const warning = idle.get(exception) ?? (unknown.has(exception) ? UNKNOWN : undefined);
    return {
      exception,
      ...(name === undefined ? {} : {name}),
      hidden: count,
      ...(warning === undefined ? {} : {warning}),
    };
  });
};

const remainingOf = (alerts: readonly Alerts[]): Partial<Record<Severity, number>> => {
  const counts: Partial<Record<Severity, number>> = {};
  for (const severity of [...SEVERITIES].reverse()) {
    const count = alerts.reduce((sum, alert) => sum + (alert.alert_severity === severity ? alert.count : 0), 0);
    if (count > 0) counts[severity] = count;
  }
  return counts;
};

const total = (alerts: readonly Alerts[]): number => alerts.reduce((sum, {count}) => sum + count, 0);

/** Throws INVALID_ARGUMENT (all faults), PERMISSION_DENIED, and NOT_FOUND for an endpoint that is not there and has left no records. */
export const tryExceptions = async (
  deps: {readonly service: Service; readonly host: SensorHost; readonly records: RecordStore},
  caller: Caller,
  text: string,
  body: TryExceptionsRequest,
): Promise<TriedExceptions> => {
  const {host, records} = deps;
  const name = await recordScope(deps, caller, text, 'threats');
  if ([name.project, name.location, name.endpointId].includes(WILDCARD))
    throw invalidArgument([
      {field: 'name', description: `"${text}": "-" cannot stand for a part of one endpoint's name`},
    ]);
  const {exceptions, last} = parse(body);
  const endpoint = formatIdsEndpointName(name);
  const alerts = await lastAlerts(records, name, last);
  const ids = new Set(exceptions.map(canonical));
  const remaining = alerts.filter(({threat_id}) => !ids.has(threat_id));
  const unknown = unknownThreatIds(host, exceptions, endpoint);
  const [oldest, newest] = [alerts.at(0)?.alert_time, alerts.at(-1)?.alert_time];
  return {
    endpoint,
    alerts: total(alerts),
    ...(oldest === undefined ? {} : {oldest}),
    ...(newest === undefined ? {} : {newest}),
    hidden: total(alerts) - total(remaining),
    exceptions: tried(alerts, exceptions, new Set(unknown)),
    remaining: remainingOf(remaining),
    hiddenBefore: (host.health(endpoint)?.alerts ?? (await records.load(endpoint))?.counters)?.excepted ?? 0,
    rulesKnown: unknown !== undefined,
  };
};
