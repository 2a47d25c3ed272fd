// SPDX-License-Identifier: Apache-2.0
/** A SensorHost without a sensor, for tests: it starts at once, or blocks, fails or dies as the test says. */
import type {EvidenceKind, FlowFrames, PacketHistory, RuleSetUpdateMessage} from '@palisade/ids-wire';
import type {HostRule, HostRuleSet, RuleSwitchChange, SensorHealth, SensorHost, SensorSpec} from '../sensor-host.ts';

export class FakeSensorError extends Error {
  override readonly name = 'SensorError';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class FakeSensorHost implements SensorHost {
  unavailable: string | undefined;
  readonly driver = 'relay';
  evidence: EvidenceKind = 'payload';
  /** The answer to every `flowFrames`. */
  frames: FlowFrames = {frames: [], isCut: false};
  /** Calls in order, `start projects/…`. */
  readonly calls: string[] = [];
  readonly running = new Map<string, SensorSpec>();
  /** Called before a start, update or stop takes effect; a rejection makes it fail, a pending promise blocks it. */
  before: ((call: 'start' | 'update' | 'stop', spec: {readonly endpoint: string}) => Promise<void> | void) | undefined;
  /** Threat ids of the active rule set; undefined: no rule set is active. */
  signatures: ReadonlySet<string> | undefined;
  /** Lines reported by each start. */
  progress: readonly string[] = ['starting Suricata'];
  sets: readonly HostRuleSet[] = [];
  /** By set. */
  readonly rules = new Map<string, readonly HostRule[]>();
  /** The answer to an update. */
  updates: readonly RuleSetUpdateMessage[] | FakeSensorError = [];

  async start(
    spec: SensorSpec,
    opts: {readonly signal: AbortSignal; readonly onProgress: (message: string) => void},
  ): Promise<void> {
    this.calls.push(`start ${spec.endpoint}`);
    for (const line of this.progress) opts.onProgress(line);
    await abortable(this.before?.('start', spec), opts.signal);
    this.running.set(spec.endpoint, spec);
  }

  async update(spec: SensorSpec): Promise<void> {
    this.calls.push(`update ${spec.endpoint}`);
    await this.before?.('update', spec);
    if (!this.running.has(spec.endpoint))
      throw new FakeSensorError('command-failed', 'no sensor runs for the endpoint');
    this.running.set(spec.endpoint, spec);
  }

  async stop(endpoint: string): Promise<void> {
    this.calls.push(`stop ${endpoint}`);
    await this.before?.('stop', {endpoint});
    this.running.delete(endpoint);
  }

  /** By endpoint. */
  readonly histories = new Map<string, PacketHistory>();
  packetHistory(endpoint: string): PacketHistory | undefined {
    return this.histories.get(endpoint);
  }

  health(endpoint: string): SensorHealth | undefined {
    if (!this.running.has(endpoint)) return undefined;
    return {
      status: 'READY',
      reasons: [],
      driver: this.driver,
      pid: 1,
      restarts: 0,
      ruleSet: 'default',
      ruleSetVersion: 'test-1',
      rulesLoaded: 1,
      rulesFailed: 0,
      rulesSkipped: 0,
      refusedRules: [],
      skippedRules: [],
      homeNet: ['10.0.0.0/8'],
      packets: {
        received: 0,
        bytes: 0,
        dropped: 0,
        drops: {kernel: 0, socket: 0, queue: 0, crash: 0, stop: 0, notCaptured: 0, engine: 0},
        malformed: 0,
        foreignVni: 0,
        refusedSender: 0,
        notInspectable: 0,
      },
      packetLossRatio: 0,
      lossPerMinute: [],
      blind: [],
      blindSeconds: 0,
      alerts: {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0},
      suricataAlerts: {counted: 0, discarded: 0, suppressed: 0},
      engineVersion: '7.0.10',
      rulesUpdated: '2026-01-01T00:00:00.000Z',
      rulesAgeDays: 1,
      confinement: {uid: 65_534, landlock: true, memoryMaxBytes: undefined, cpuMaxCores: undefined},
      notes: [],
      unknownExceptions: [],
    };
  }

  unknownExceptions(ids: readonly string[]): readonly string[] | undefined {
    const {signatures} = this;
    return signatures && ids.filter(id => !signatures.has(id.includes(':') ? id : `1:${id}`));
  }

  endpoints(): readonly string[] {
    return [...this.running.keys()];
  }

  ruleSets(): readonly HostRuleSet[] {
    return this.sets;
  }

  async rulesOfSet(id: string): Promise<readonly HostRule[] | undefined> {
    return this.rules.get(id);
  }

  /** Of the set `default`. */
  async ruleOf(_endpoint: string, threatId: string) {
    const rule = this.rules.get('default')?.find(({ruleId}) => ruleId === threatId);
    return rule && {set: 'default', rule};
  }

  async flowFrames(): Promise<FlowFrames> {
    return this.frames;
  }

  async updateRules(id?: string): Promise<readonly RuleSetUpdateMessage[]> {
    this.calls.push(`updateRules ${id ?? '-'}`);
    if (this.updates instanceof FakeSensorError) throw this.updates;
    return this.updates;
  }

  async switchRules(id: string, change: RuleSwitchChange): Promise<readonly RuleSetUpdateMessage[]> {
    const {enable, disable, reset, user} = change;
    this.calls.push(`switchRules ${id} ${user} +${enable} -${disable} =${reset}`);
    if (this.updates instanceof FakeSensorError) throw this.updates;
    return this.updates;
  }

  close(): Promise<void> {
    this.running.clear();
    return Promise.resolve();
  }
}

const abortable = async (work: Promise<void> | void, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) throw new FakeSensorError('aborted', 'the start was cancelled');
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new FakeSensorError('aborted', 'the start was cancelled'));
    signal.addEventListener('abort', onAbort, {once: true});
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    aborted.catch(() => {}); // settled by nobody once the race is over
  }
};
