// SPDX-License-Identifier: Apache-2.0
import {type EndpointHealthMessage, parseIdsEndpointName} from '@palisade/wire/ids';
import type {Caller} from '../auth.ts';
import type {RecordStore} from '../records/record-store.ts';
import type {SensorHost} from '../sensor-host.ts';
import type {Service} from '../service.ts';
import {getEndpoint} from './get-endpoint.ts';

/** What the sensor says of itself, and what is kept. Throws like getEndpoint. */
export const getHealth = async (
  deps: {readonly service: Service; readonly host: SensorHost; readonly records: RecordStore},
  caller: Caller,
  text: string,
): Promise<EndpointHealthMessage> => {
  const record = await getEndpoint(deps.service, caller, text);
  const counts = await deps.records.counts(record.name);
  const sensor = deps.host.health(record.name);
  const {location = ''} = parseIdsEndpointName(record.name) ?? {};
  const common = {endpoint: record.name, state: record.state, records: counts};
  const vni = record.allocation === undefined ? {} : {vni: record.allocation.vni};
  if (sensor !== undefined) {
    const {pid, ...rest} = sensor;
    return {...common, ...vni, ...rest, ...(pid === undefined ? {} : {pid})};
  }
  const waiting = deps.service.waitingReason(location);
  const progress = record.operation === undefined ? undefined : deps.service.progressOf(record.operation);
  const trouble = deps.service.troubleOf(record.name);
  const position = await deps.records.load(record.name);
  return {
    ...common,
    ...vni,
    status: waiting !== undefined ? 'WAITING' : trouble !== undefined ? 'FAILED' : 'STARTING',
    reasons: [waiting ?? trouble ?? progress ?? 'the sensor is being started'],
    ...(position === undefined ? {} : {alerts: position.counters}),
  };
};
