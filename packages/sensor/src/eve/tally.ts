// SPDX-License-Identifier: Apache-2.0
/**
 * Judges alerts and counts each exactly once (design invariant 4).
 *
 * Each alert is one of: excepted (its threat id is on the endpoint's list), filtered (below the endpoint's severity, or of the mirror's own
 * packets), or stored. Equal stored alerts (same threat, source, destination, application, type) within 5 s of packet time share one record:
 * the first writes it at once, each later one writes it again under the same id with a higher `repeat_count`. Suricata's own `stats.detect.alert` is compared with what
 * was read in its run: what is missing is `lost`.
 * I1 seen = stored + filtered + excepted + lost; I2 the sum of repeat_count = stored; I3 a record id is a function of file and offset.
 */
import type {ThreatRecord, TrafficRecord} from '@palisade/ids-wire';
import type {SensorSpec} from '../ports.ts';
import type {AlertCounters, EngineAlerts, FlowCounters, RecordWrite} from '../record-sink.ts';
import type {Signature} from '../rules/parse-rule.ts';
import {reaches} from '../severity.ts';
import {normaliseException, threatIdOf} from '../threat-id.ts';
import {EngineAlertCounts, NO_ENGINE_ALERTS} from './engine-alerts.ts';
import {EngineCounts} from './engine-counts.ts';
import {decodeEveLine, type EveAlert, type EveFlow, type EveFlowKey, type EveStats, eveTimeMs} from './eve-record.ts';
import {evidenceOf} from './evidence.ts';
import {isInSample} from './flow-sample.ts';
import {signatureOf, toThreatRecord, toTrafficRecord} from './to-record.ts';

type Window = {
  readonly key: string;
  readonly id: string;
  readonly firstMs: number;
  readonly record: ThreatRecord;
  /** Until the record is taken for the first time. */
  evidence: string | undefined;
  count: number;
};

export type TallyOptions = {
  readonly spec: SensorSpec;
  readonly counters: AlertCounters;
  readonly engine?: EngineAlerts | undefined;
  readonly flows?: FlowCounters | undefined;
  /** 1 of so many flows makes a traffic record; asked for each flow. Default: every one. */
  readonly trafficSample?: (() => number) | undefined;
  readonly signature: (threatId: string) => Signature | undefined;
  /** The event of a record's first alert is given with it. Default: no. */
  readonly keepsEvidence?: boolean | undefined;
  readonly repeatWindowMs: number;
  readonly repeatWindowsMax: number;
};

export type TallyChanges = {
  readonly counters: AlertCounters;
  readonly engine: EngineAlerts;
  readonly flows: FlowCounters;
  readonly threats: readonly RecordWrite<ThreatRecord>[];
  readonly traffic: readonly RecordWrite<TrafficRecord>[];
};

/** Most lines are flows without traffic logs: recognised without parsing. The text before the type is Suricata's own, never a packet's. */
const TYPE_KEY = '"event_type":"';
const isFlow = (json: string): boolean => {
  const at = json.indexOf(TYPE_KEY);
  return at >= 0 && json.startsWith('flow"', at + TYPE_KEY.length);
};

const MIRROR_PORTS = new Set([4789, 6081]);
/** The mirror itself: Suricata sees it where it takes off the outer headers. What is inside makes flows and alerts of its own. */
const isOfMirror = (of: EveFlowKey, spec: SensorSpec): boolean =>
  of.destinationIp === spec.ip && of.protocol === 'udp' && MIRROR_PORTS.has(of.destinationPort);

/** A `stats` event has the counts of one or two intervals ago. */
const STATS_UNTIL_SURE = 3;

export const ZERO_COUNTERS: AlertCounters = {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0};

export class Tally {
  readonly engine = new EngineCounts();
  readonly #options: TallyOptions;
  #spec: SensorSpec;
  #exceptions: ReadonlySet<string>;
  #counters: {-readonly [K in keyof AlertCounters]: number};
  #countersChanged = false;
  /** In order of their first alert. */
  readonly #windows = new Map<string, Window>();
  #changed = new Set<Window>();
  #traffic: RecordWrite<TrafficRecord>[] = [];
  #holdsTraffic = false;
  #trafficLeftOut = 0;
  #sampledOut: number;
  readonly #engineAlerts: EngineAlertCounts;
  /** Counts of Suricata that are still to be read until it is sure what is missing. */
  #doubtfulStats = 0;
  #unreadable = 0;
  #lastEventTime: string | undefined;

  constructor(options: TallyOptions) {
    this.#options = options;
    this.#spec = options.spec;
    this.#exceptions = new Set(options.spec.threatExceptions.map(normaliseException));
    this.#counters = {...options.counters};
    this.#sampledOut = options.flows?.sampledOut ?? 0;
    this.#engineAlerts = new EngineAlertCounts(options.engine ?? NO_ENGINE_ALERTS);
  }

  /** Acts on every line read from now on. */
  update(spec: SensorSpec): void {
    this.#spec = spec;
    this.#exceptions = new Set(spec.threatExceptions.map(normaliseException));
  }

  /** While true, flows make no records and are counted: the disk is nearly full. */
  holdTraffic(hold: boolean): void {
    this.#holdsTraffic = hold;
  }

  /** `id`: stable name of the line (file and offset). */
  line(json: string, id: string): void {
    if (!this.#spec.trafficLogs && isFlow(json)) return;
    const line = decodeEveLine(json);
    switch (line.type) {
      case 'alert':
        this.#alert(line.alert, id, json);
        return;
      case 'flow':
        this.#flow(line.flow, id);
        return;
      case 'stats':
        this.#compare(line.stats);
        this.engine.read(line.stats);
        return;
      case 'marker':
        if (line.marker.run === undefined) return;
        this.#engineAlerts.beginRun();
        this.engine.beginRun();
        return;
      case 'unreadable':
        this.#unreadable++;
        return;
      case 'other':
        return;
    }
  }

  #flow(flow: EveFlow, id: string): void {
    if (!this.#spec.trafficLogs || isOfMirror(flow, this.#spec)) return;
    const oneOf = this.#options.trafficSample?.() ?? 1;
    if (!isInSample(flow.sessionId, oneOf)) this.#sampledOut++;
    else if (this.#holdsTraffic) this.#trafficLeftOut++;
    else this.#traffic.push({id, record: toTrafficRecord(flow, this.#spec, oneOf)});
  }

  /** A line that could not even be read as text (too long, torn at the end of a file). */
  unreadableLine(): void {
    this.#unreadable++;
  }

  #alert(alert: EveAlert, id: string, json: string): void {
    this.#countersChanged = true;
    this.#counters.seen++;
    this.#engineAlerts.seen();
    this.#lastEventTime = alert.timestamp;
    const threatId = threatIdOf(alert.gid, alert.sid);
    if (this.#exceptions.has(threatId)) {
      this.#counters.excepted++;
      return;
    }
    const signature = signatureOf(alert, this.#options.signature(threatId));
    if (!reaches(signature.severity, this.#spec.severity) || isOfMirror(alert, this.#spec)) {
      this.#counters.filtered++;
      return;
    }
    this.#counters.stored++;
    const record = toThreatRecord(alert, signature, this.#spec, signature.severity);
    const atMs = eveTimeMs(alert.timestamp);
    const key = [
      threatId,
      record.source_ip_address,
      record.destination_ip_address,
      record.application,
      record.type,
    ].join('|');
    const open = this.#windows.get(key);
    if (open !== undefined && atMs - open.firstMs < this.#options.repeatWindowMs && atMs >= open.firstMs) {
      open.count++;
      this.#changed.add(open);
      return;
    }
    const evidence = this.#options.keepsEvidence === true ? evidenceOf(json) : undefined;
    const window: Window = {key, id, firstMs: atMs, record, evidence, count: 1};
    this.#windows.delete(key);
    this.#windows.set(key, window);
    this.#changed.add(window);
    this.#closeWindows(atMs);
  }

  /** Windows are in the order of their first alert, so the old ones are in front. */
  #closeWindows(nowMs: number): void {
    for (const [key, window] of this.#windows) {
      const over = nowMs - window.firstMs >= this.#options.repeatWindowMs;
      if (!over && this.#windows.size <= this.#options.repeatWindowsMax) return;
      this.#windows.delete(key);
    }
  }

  #compare(stats: EveStats): void {
    const compared = this.#engineAlerts.read(stats);
    if (compared === undefined) return;
    const {missing, changed} = compared;
    this.#doubtfulStats = Math.max(this.#doubtfulStats - 1, 0);
    this.#counters.lost += missing;
    this.#counters.seen += missing;
    if (changed || missing > 0) this.#countersChanged = true;
  }

  /** Lines may be missing. */
  doubt(): void {
    this.#doubtfulStats = STATS_UNTIL_SURE;
  }

  /** `lost` may be too low: lines may be missing, and Suricata's count of that time has not been read yet. */
  get isUnsure(): boolean {
    return this.#doubtfulStats > 0;
  }

  get counters(): AlertCounters {
    return {...this.#counters};
  }

  /** Suricata's own counts, of the lines read until now. */
  get engineAlerts(): EngineAlerts {
    return this.#engineAlerts.state;
  }

  /** Lines that were no EVE record, since the start. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Flows that made no record while the disk was nearly full, since the start. */
  get trafficLeftOut(): number {
    return this.#trafficLeftOut;
  }

  get flows(): FlowCounters {
    return {sampledOut: this.#sampledOut};
  }

  /** Timestamp of the newest alert, as Suricata wrote it. */
  get lastEventTime(): string | undefined {
    return this.#lastEventTime;
  }

  /** Records that `take` will give. A line adds one at most. */
  get changedRecords(): number {
    return this.#changed.size + this.#traffic.length;
  }

  /** What of `traffic`, which was taken but could not be stored yet, is still to be stored. */
  stillWanted(traffic: TallyChanges['traffic']): TallyChanges['traffic'] {
    if (!this.#holdsTraffic) return traffic;
    this.#trafficLeftOut += traffic.length;
    return [];
  }

  /** What changed since the last call; undefined: nothing. */
  take(): TallyChanges | undefined {
    if (this.#changed.size === 0 && this.#traffic.length === 0 && !this.#countersChanged) return undefined;
    const threats = [...this.#changed].map(window => {
      const {id, record, evidence} = window;
      window.evidence = undefined;
      return {
        id,
        record: {...record, repeat_count: String(window.count)},
        ...(evidence === undefined ? {} : {evidence}),
      };
    });
    const changes = {
      counters: this.counters,
      engine: this.engineAlerts,
      flows: this.flows,
      threats,
      traffic: this.#traffic,
    };
    this.#changed = new Set();
    this.#traffic = [];
    this.#countersChanged = false;
    return changes;
  }
}
