// SPDX-License-Identifier: Apache-2.0
/** Threat exceptions that hide nothing: named in the answers to create and patch, in their operations, and in the health. */
import {idleExceptions, parseThreatId} from '@palisade/ids-wire';
import type {OperationRecord} from '../model/operation-record.ts';
import type {SensorHost} from '../sensor-host.ts';
import type {Service} from '../state/service.ts';

/** Exceptions that one sentence names; the rest is counted. */
const NAMED_MAX = 10;

/** Of `exceptions`, in their order, those that are threat ids and match no signature. Undefined: there is no rule set to compare with. */
export const unknownThreatIds = (
  host: Pick<SensorHost, 'unknownExceptions'>,
  exceptions: readonly string[],
  endpoint: string,
): readonly string[] | undefined =>
  host.unknownExceptions(
    exceptions.filter(text => parseThreatId(text) !== undefined),
    endpoint,
  );

const unknownText = (ids: readonly string[]): string => {
  const named = ids.slice(0, NAMED_MAX).map(id => JSON.stringify(id));
  const rest = ids.length - named.length;
  const [match, hide] = ids.length === 1 ? ['matches', 'hides'] : ['match', 'hide'];
  const list = `${named.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
  return `threatExceptions: ${list} ${match} no signature of the active rule set and ${hide} nothing; correct or remove ${ids.length === 1 ? 'it' : 'them'}`;
};

/** Each readable on its own; empty when all may hide something, or when that is not known. */
export const exceptionWarnings = (
  host: Pick<SensorHost, 'unknownExceptions'>,
  exceptions: readonly string[],
  endpoint: string,
): readonly string[] => {
  const idle = idleExceptions(exceptions).map(({at, reason}) => `threatExceptions[${at}]: ${reason}`);
  const unknown = unknownThreatIds(host, exceptions, endpoint) ?? [];
  return unknown.length === 0 ? idle : [...idle, unknownText(unknown)];
};

/** Of the exceptions that the endpoint has after a create or an update. */
export const operationWarnings = (
  service: Pick<Service, 'state' | 'exceptionWarnings'>,
  {verb, target, result, warnings = []}: OperationRecord,
): readonly string[] => {
  if (result !== undefined) return warnings;
  const record = verb === 'delete' ? undefined : service.state.endpoints.get(target)?.record;
  const spec = record?.pending ?? record?.spec;
  return spec === undefined ? [] : service.exceptionWarnings(spec.threatExceptions, target);
};
