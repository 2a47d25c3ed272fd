// SPDX-License-Identifier: Apache-2.0
/**
 * What was stored against what Suricata wrote. Each fault is one line:
 *   J1 every alert line that is to be stored is in exactly one record: a record holds the lines of its key from the one it is named
 *      after up to the next record's, and its repeat_count is their number
 *   J2 a record spans less than 5 s, and a shorter window was cut by a restart of the server only: once a key and restart at most
 *   J3 no id twice, and no record of something that Suricata did not write
 *   J4 seen = stored + filtered + excepted + lost, and each is what the lines say
 *   J5 Suricata's own count is the sum of the last counts of its runs; what it counted and did not write is lost, and nothing else is
 *   J6 every flow line is one traffic record
 */
import type {AlertLine, EveWitness} from './eve-witness.ts';

const WINDOW_MS = 5_000;
const SHOWN = 5;

export type ThreatRow = {
  readonly id: string;
  readonly threat_id: string;
  readonly source_ip_address: string;
  readonly destination_ip_address: string;
  readonly application: string;
  readonly repeat_count: string;
};
export type TrafficRow = {readonly id: string; readonly session_id: string};
export type Counts = {
  readonly alerts: Readonly<Record<'seen' | 'stored' | 'filtered' | 'excepted' | 'lost', number>>;
  readonly suricataAlerts: {readonly counted: number};
  readonly records: {readonly threatsDropped: number; readonly trafficDropped: number};
};
export type Stored = {
  readonly threats: readonly ThreatRow[];
  readonly traffic: readonly TrafficRow[];
  /** Undefined: the endpoint is gone. */
  readonly counts: Counts | undefined;
};
export type Verdict = 'stored' | 'filtered' | 'excepted';

const keyOf = (row: ThreatRow): string =>
  [row.threat_id, row.source_ip_address, row.destination_ip_address, row.application].join(' ');
const some = (what: string, list: readonly string[]): string[] =>
  list.length === 0 ? [] : [`${what}: ${list.length} (${list.slice(0, SHOWN).join(', ')})`];
const twice = (ids: readonly string[]): string[] => ids.filter((id, at) => ids.indexOf(id, at + 1) > at);
const duplicates = (ids: readonly string[]): string[] => (new Set(ids).size === ids.length ? [] : twice(ids));

/** J1 and J2 for the lines and records of one key. */
const windowFaults = (lines: readonly AlertLine[], counts: ReadonlyMap<string, number>, restarts: number): string[] => {
  const faults: string[] = [];
  let open: {readonly line: AlertLine; count: number} | undefined;
  let early = 0;
  const end = (): void => {
    if (open === undefined) return;
    const stored = counts.get(open.line.id);
    if (stored !== open.count) faults.push(`${open.line.id} has ${open.count} alerts and repeat_count ${stored}`);
  };
  for (const line of lines) {
    if (counts.has(line.id)) {
      end();
      if (open !== undefined && line.ms - open.line.ms < WINDOW_MS && line.ms >= open.line.ms) early++;
      open = {line, count: 1};
    } else if (open === undefined) faults.push(`${line.id} is in no record`);
    else {
      open.count++;
      if (line.ms - open.line.ms >= WINDOW_MS)
        faults.push(`${line.id} is ${line.ms - open.line.ms} ms after ${open.line.id}`);
    }
  }
  end();
  if (early > restarts) faults.push(`${lines[0]?.key}: ${early} windows were cut in ${restarts} restarts`);
  return faults;
};

const threatFaults = (alerts: readonly AlertLine[], threats: readonly ThreatRow[], restarts: number): string[] => {
  const rows = Map.groupBy(threats, keyOf);
  const known = new Set(alerts.map(({id}) => id));
  const windows = [...Map.groupBy(alerts, ({key}) => key)].flatMap(([key, lines]) =>
    windowFaults(
      lines,
      new Map((rows.get(key) ?? []).map(({id, repeat_count}) => [id, Number(repeat_count)])),
      restarts,
    ),
  );
  const ids = threats.map(({id}) => id);
  return [
    ...some('threats that differ from the lines', windows),
    ...some(
      'threats that Suricata did not write',
      ids.filter(id => !known.has(id)),
    ),
    ...some('threats that are there twice', duplicates(ids)),
  ];
};

const countFaults = (
  {alerts, suricataAlerts}: Counts,
  witness: EveWitness,
  lines: Readonly<Record<Verdict, number>>,
): string[] => {
  const faults: string[] = [];
  const same = (what: string, is: number, should: number): void => {
    if (is !== should) faults.push(`${what} is ${is} instead of ${should}`);
  };
  const missing = witness.runs.reduce((sum, run) => sum + run.missing, 0);
  same('alerts.seen', alerts.seen, alerts.stored + alerts.filtered + alerts.excepted + alerts.lost);
  for (const verdict of ['stored', 'filtered', 'excepted'] as const)
    same(`alerts.${verdict}`, alerts[verdict], lines[verdict]);
  same('alerts.lost', alerts.lost, missing);
  same(
    'suricataAlerts.counted',
    suricataAlerts.counted,
    witness.runs.reduce((sum, run) => sum + run.counted, 0),
  );
  return faults;
};

const trafficFaults = ({flows}: EveWitness, traffic: readonly TrafficRow[], flowsMin: number): string[] => {
  const rows = new Map(traffic.map(({id, session_id}) => [id, session_id]));
  const known = new Set(flows.map(({id}) => id));
  return [
    ...some(
      'flows without a record',
      flows
        .slice(0, flowsMin)
        .filter(({id, session}) => rows.get(id) !== session)
        .map(({id}) => id),
    ),
    ...some(
      'traffic records that Suricata did not write',
      [...rows.keys()].filter(id => !known.has(id)),
    ),
    ...some('traffic records that are there twice', duplicates(traffic.map(({id}) => id))),
  ];
};

/**
 * `restarts`: of the server since the endpoint was created; `flowsMin`: so many flow lines were there before the records were read: flows
 * time out at any time. Empty: all is as it should be.
 */
export const judge = (
  witness: EveWitness,
  {threats, traffic, counts}: Stored,
  {
    restarts,
    verdictOf,
    flowsMin,
  }: {
    readonly restarts: number;
    readonly flowsMin: number;
    readonly verdictOf: (threat: string) => Verdict;
  },
): string[] => {
  const by = Map.groupBy(witness.alerts, ({threat}) => verdictOf(threat));
  const numbers = {
    stored: by.get('stored')?.length ?? 0,
    filtered: by.get('filtered')?.length ?? 0,
    excepted: by.get('excepted')?.length ?? 0,
  };
  return [
    ...threatFaults(by.get('stored') ?? [], threats, restarts),
    ...(counts === undefined ? [] : countFaults(counts, witness, numbers)),
    ...trafficFaults(witness, traffic, flowsMin),
  ];
};
