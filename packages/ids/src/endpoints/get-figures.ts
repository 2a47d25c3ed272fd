// SPDX-License-Identifier: Apache-2.0
/** Packets of an endpoint over time, in steps of the width that is asked for. */
import {
  type EndpointFiguresMessage,
  type FieldViolation,
  formatTimestamp,
  HISTORY_STEPS,
  type PacketHistory,
  parseTimestamp,
  parseWidth,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {FIGURE_SAMPLES_DEFAULT, FIGURE_SAMPLES_MAX} from '../limits.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {SensorHost} from '../sensor-host.ts';
import type {Service} from '../state/service.ts';
import {getEndpoint} from './get-endpoint.ts';

export const FIGURE_PARAMETERS = ['since', 'until', 'step'] as const;
type FigureParameters = {readonly [P in (typeof FIGURE_PARAMETERS)[number]]: string | undefined};

const SHORT_MS = HISTORY_STEPS.short.stepMs;
const SHORT_KEPT_MS = SHORT_MS * HISTORY_STEPS.short.rowsMax;
const LONG_MS = HISTORY_STEPS.long.stepMs;
const STEPS = {
  '10s': 10_000,
  '30s': 30_000,
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
};

/** The clock of a caller who asks for the last hour may be behind. */
const CLOCK_MS = 60_000;
const isShort = (sinceMs: number, nowMs: number): boolean => sinceMs >= nowMs - SHORT_KEPT_MS - CLOCK_MS;

type Asked = {readonly sinceMs: number; readonly untilMs: number; readonly step: string; readonly stepMs: number};

/** Throws INVALID_ARGUMENT with every fault. Defaults: the last hour, and the shortest step with FIGURE_SAMPLES_DEFAULT samples. */
const parse = ({since, until, step}: FigureParameters, nowMs: number): Asked => {
  const violations: FieldViolation[] = [];
  const time = (field: 'since' | 'until', text: string | undefined, otherwise: number): number => {
    if (text === undefined || text === '') return otherwise;
    const ms = parseTimestamp(text);
    if (ms === undefined)
      violations.push({field, description: `"${text}" is not an RFC 3339 time such as 2024-05-27T22:22:32Z`});
    return ms ?? otherwise;
  };
  const untilMs = time('until', until, nowMs);
  const sinceMs = time('since', since, untilMs - SHORT_KEPT_MS);
  const shortest = isShort(sinceMs, nowMs) ? SHORT_MS : LONG_MS;
  const fitting = Object.entries(STEPS).find(
    ([, ms]) => ms >= shortest && (untilMs - sinceMs) / ms <= FIGURE_SAMPLES_DEFAULT,
  );
  const [name, ms] = fitting ?? ['6h', STEPS['6h']];
  const asked = step === undefined || step === '' ? ms : parseWidth(step);
  if (sinceMs >= untilMs) violations.push({field: 'until', description: 'must be later than since'});
  if (asked === undefined)
    violations.push({field: 'step', description: `"${step}" is not a width such as 10s, 5m or 1h`});
  else if (asked % shortest !== 0)
    violations.push({
      field: 'step',
      description: `"${step}" must be a multiple of ${shortest === SHORT_MS ? '10s' : '5m, as shorter steps are kept for an hour only'}`,
    });
  else if ((untilMs - sinceMs) / asked > FIGURE_SAMPLES_MAX)
    violations.push({
      field: 'step',
      description: `"${step}" would make more than ${FIGURE_SAMPLES_MAX} samples; ask for a wider step, or for a shorter time`,
    });
  if (violations.length > 0) throw invalidArgument(violations);
  return {sinceMs, untilMs, step: step === undefined || step === '' ? name : step, stepMs: asked ?? ms};
};

type Sums = {received: number; bytes: number; dropped: number};

const samplesOf = (
  {rows}: PacketHistory['short'],
  {sinceMs, untilMs, stepMs}: Asked,
): EndpointFiguresMessage['samples'] => {
  const sums = new Map<number, Sums>();
  for (const {startMs, received, bytes, dropped} of rows) {
    const at = Math.floor(startMs / stepMs) * stepMs;
    if (at + stepMs <= sinceMs || at >= untilMs) continue;
    const sum = sums.get(at) ?? {received: 0, bytes: 0, dropped: 0};
    sums.set(at, {received: sum.received + received, bytes: sum.bytes + bytes, dropped: sum.dropped + dropped});
  }
  return [...sums].map(([at, sum]) => ({time: formatTimestamp(at), ...sum}));
};

/** Throws INVALID_ARGUMENT, and as getEndpoint. An endpoint without a sensor has no samples. */
export const getFigures = async (
  {service, host}: {readonly service: Service; readonly host: SensorHost},
  caller: Caller,
  text: string,
  given: FigureParameters,
): Promise<EndpointFiguresMessage> => {
  const {name: endpoint} = await getEndpoint(service, caller, text);
  const nowMs = service.clock.now();
  const asked = parse(given, nowMs);
  const history = host.packetHistory(endpoint);
  const kept = isShort(asked.sinceMs, nowMs) && asked.stepMs < LONG_MS ? history?.short : history?.long;
  return {endpoint, step: asked.step, samples: kept === undefined ? [] : samplesOf(kept, asked)};
};
