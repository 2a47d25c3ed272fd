// SPDX-License-Identifier: Apache-2.0
import {RecordPump} from '../eve/record-pump.ts';
import {keepFlowFiles} from '../flows/flow-files.ts';
import {SENSOR_LIMITS} from '../limits.ts';
import type {SensorSpec} from '../ports.ts';
import type {Signature} from '../rules/parse-rule.ts';
import {folderOf, removeFolder, retireFolder} from '../sensor/sensor-folder.ts';
import {SensorError} from '../sensor-error.ts';
import type {SensorHostOptions} from './options.ts';

/**
 * Events that a crashed server did not read are judged by the settings of then and counted, before the folder goes. Nothing may write
 * there any longer. Throws SensorError `closed` when they could not be stored; then the folder stays, and it can be called again.
 */
export const endLeftover = async (
  spec: SensorSpec,
  signature: (threatId: string) => Signature | undefined,
  options: SensorHostOptions,
): Promise<void> => {
  const {dir, sink, timers, log, random, evidence = 'none', trafficSample} = options;
  const {endpoint} = spec;
  const folder = folderOf(dir, endpoint);
  const limits = {...SENSOR_LIMITS, ...options.limits};
  const pump = await RecordPump.open({
    spec,
    folder,
    keepsEvidence: evidence !== 'none',
    ...{sink, signature, timers, log, limits, trafficSample},
  });
  const problem = await pump.finish(limits.exitTimeoutMs);
  if (problem !== undefined)
    throw new SensorError('closed', `The events of an earlier run cannot be stored: ${problem.message}`);
  await keepFlowFiles(dir, folder);
  const gone = await retireFolder(dir, folder, random.uuid());
  await sink.forget(endpoint);
  await removeFolder(gone);
};
