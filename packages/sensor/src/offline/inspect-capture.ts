// SPDX-License-Identifier: Apache-2.0
/** Rules on a capture file: what they find in it, and what else is in it. */
import {createReadStream} from 'node:fs';
import {chmod, copyFile, mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {readRules} from '../catalog/catalog-reader.ts';
import type {RuleView} from '../catalog/rule-view.ts';
import {decodeEveLine, type EveAlert, type EveFlow} from '../eve/eve-record.ts';
import {compileRuleSet, configOf} from '../rules/rule-set.ts';
import {placeRuleSet} from '../sensor/sensor-folder.ts';
import {SensorError} from '../sensor-error.ts';
import {CONFIG_FILE, EVE_FILE} from '../suricata/config.ts';
import {type EngineLogLine, LineSplitter} from '../suricata/engine-log.ts';
import {describeExit, SuricataProcess} from '../suricata/process.ts';
import {inWorkshop, type OfflineOptions} from './workshop.ts';

export type Inspection = {
  /** In the order of Suricata. */
  readonly alerts: readonly EveAlert[];
  /** Every rule of the files. */
  readonly rules: readonly RuleView[];
  readonly packets: number;
  readonly undecoded: number;
  readonly flows: number;
  /** Flows by transport protocol, and by application protocol; `unknown`: Suricata found none. */
  readonly transports: Readonly<Record<string, number>>;
  readonly applications: Readonly<Record<string, number>>;
};

const CAPTURE = 'in.pcap';
const UNKNOWN = 'unknown';

/** Suricata retries for a minute when it cannot read its capture. */
const UNREADABLE = /^(?:Failed to init pcap file|pcap file reader thread failed)/;

type Counts = Record<string, number>;
const count = (counts: Counts, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** What Suricata wrote of a whole run. */
const readEve = async (path: string): Promise<Omit<Inspection, 'rules'>> => {
  const [alerts, flows]: [EveAlert[], EveFlow[]] = [[], []];
  let totals = {packets: 0, undecoded: 0};
  const lines = new LineSplitter(text => {
    const line = decodeEveLine(text);
    if (line.type === 'alert') alerts.push(line.alert);
    if (line.type === 'flow') flows.push(line.flow);
    if (line.type === 'stats') totals = {packets: line.stats.packets, undecoded: line.stats.undecoded};
  });
  for await (const chunk of createReadStream(path, 'utf8')) lines.push(chunk as string);
  lines.end();
  const [transports, applications]: [Counts, Counts] = [{}, {}];
  for (const {protocol, application} of flows) {
    count(transports, protocol);
    count(applications, application ?? UNKNOWN);
  }
  return {alerts, ...totals, flows: flows.length, transports, applications};
};

/**
 * Runs Suricata on a capture (pcap or pcapng). Throws SensorError for rules that are not taken, and where Suricata cannot read the capture;
 * a system error where we cannot.
 */
export const inspectCapture = (capture: string, options: OfflineOptions): Promise<Inspection> =>
  inWorkshop(options, async ({compile, context}, place) => {
    const {signal, timers} = options;
    const {launcher, suricata} = context;
    const set = await compileRuleSet(options.rules, {...compile, signal});
    const folder = join(place, 'run');
    await mkdir(folder, {mode: 0o777});
    await chmod(folder, 0o777); // below a folder that is ours alone
    await placeRuleSet(folder, set, configOf(set, {...compile, decodeVxlan: true}));
    await copyFile(capture, join(folder, CAPTURE));
    await chmod(join(folder, CAPTURE), 0o644);
    const args = ['-c', CONFIG_FILE, '-l', '.', '-r', CAPTURE, '--runmode', 'single', '-k', 'none'];
    const onLog = ({message}: EngineLogLine): void => {
      if (UNREADABLE.test(message)) engine.kill();
    };
    const engine: SuricataProcess = new SuricataProcess({path: suricata.path, args, folder, launcher, timers, onLog});
    const onAbort = (): void => engine.kill();
    signal.addEventListener('abort', onAbort);
    const exit = await engine.exited;
    signal.removeEventListener('abort', onAbort);
    if (signal.aborted) throw new SensorError('aborted', 'the inspection of the capture was cancelled');
    const why = exit.words === '' ? describeExit(exit) : exit.words;
    if (exit.code !== 0) throw new SensorError('start-failed', `Suricata cannot read ${capture}: ${why}`);
    return {...(await readEve(join(folder, EVE_FILE))), rules: await readRules(set)};
  });
