// SPDX-License-Identifier: Apache-2.0
/** The sensors of this server. Loads the data plane: only for servers that serve the IDS side. */
import {
  BUNDLED_RULES,
  checkRuleFiles,
  createSensorHost,
  isSensorError,
  type RecordSink,
  ruleFaultLines,
  ruleFaultsCounted,
  type SensorError,
  type SuricataSensorHost,
} from '@palisade/sensor';
import {CommandError} from '../../cli/io.ts';
import type {ServeConfig} from '../config.ts';
import type {DataFolder} from '../data-folder.ts';
import type {Logger} from '../logger.ts';
import {systemClock, systemRandom, systemTimers} from '../system.ts';
import type {Closers} from './closers.ts';

/** Throws CommandError for files of --rules that cannot be read. */
export const checkRules = ({rules}: Pick<ServeConfig, 'rules'>): Promise<void> =>
  checkRuleFiles(rules).catch(refuseRules);

/** Throws CommandError for a driver that is not there, and for rules of --rules that cannot be used. */
export async function openSensors(
  config: ServeConfig,
  parts: {folder: DataFolder; records: RecordSink; signal: AbortSignal},
  log: Logger,
  closers: Closers,
): Promise<SuricataSensorHost> {
  const host = await createSensorHost({
    dir: parts.folder.sensorDir,
    driver: config.driver,
    rules: config.rules.length > 0 ? config.rules : BUNDLED_RULES,
    tellsRefusal: config.rules.length > 0,
    sink: parts.records,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    log: log.child({part: 'sensor'}),
  }).catch((error: unknown) => {
    if (isSensorError(error) && error.code === 'driver-unavailable')
      throw new CommandError(`--driver: ${error.message}`, {cause: error});
    throw error;
  });
  closers.add('sensors', () => host.close());
  if (config.rules.length > 0) await refuseBadRules(host, parts.signal);
  return host;
}

/** Throws the reason of `signal` as soon as it aborts; what was waited for goes on unheard. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, {once: true});
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });

const RULE_CODES: ReadonlySet<string> = new Set(['rule-file', 'rule-error', 'no-rules']);

const WAY_OUT = 'mend these rules, or take them out';

/** Every refused rule, in a line of its own. */
const wordsFor = ({message, faults}: SensorError): string =>
  faults.length === 0
    ? `--rules: ${message}`
    : [`--rules: ${ruleFaultsCounted(faults)}; ${WAY_OUT}:`, ...ruleFaultLines(faults)].join('\n');

const refuseRules = (error: unknown): void => {
  if (isSensorError(error) && RULE_CODES.has(error.code)) throw new CommandError(wordsFor(error), {cause: error});
  if (!isSensorError(error)) throw error;
};

/**
 * Rules that the user named and that cannot be used, with no older set to go on with: better no start than no inspection.
 * Files that cannot be read were refused before, older set or not.
 */
const refuseBadRules = (host: SuricataSensorHost, signal: AbortSignal): Promise<unknown> =>
  unlessAborted(host.ready(), signal).catch(refuseRules);
