// SPDX-License-Identifier: Apache-2.0
/** Alerts by hour and severity. */

import type {RecordAggregateMessage} from '@palisade/ids-wire';
import {links} from '../../../links.ts';
import {SEVERITIES, type Severity, severityWord} from '../../../ui/base/badge.tsx';
import {minuteText, parseTime} from '../../../ui/data/time-text.ts';

const HOUR_MS = 3_600_000;
export const HOURS = 24;

export type AlertBar = {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly total: number;
  /** The most severe first; those without alerts are absent. */
  readonly parts: readonly {readonly severity: Severity; readonly alerts: number}[];
};

/** When the first of the bars begins: the last one is the hour that runs. */
export const firstHour = (now: number): number => Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;

/** All hours, also those without alerts. */
export function alertBars({histogram = []}: RecordAggregateMessage, since: number): readonly AlertBar[] {
  const byTime = new Map(histogram.map(bar => [parseTime(bar.startTime), bar]));
  return Array.from({length: HOURS}, (_, at) => {
    const from = since + at * HOUR_MS;
    const severities = byTime.get(from)?.severities ?? {};
    const parts = SEVERITIES.flatMap(severity => {
      const alerts = severities[severity] ?? 0;
      return alerts === 0 ? [] : [{severity, alerts}];
    });
    return {from, to: from + HOUR_MS, total: parts.reduce((sum, {alerts}) => sum + alerts, 0), parts};
  });
}

export type SeveritySum = {readonly severity: Severity; readonly alerts: number};

export const severitySums = (bars: readonly AlertBar[]): readonly SeveritySum[] =>
  SEVERITIES.map(severity => ({
    severity,
    alerts: bars.reduce((sum, {parts}) => sum + (parts.find(one => one.severity === severity)?.alerts ?? 0), 0),
  }));

/** `10:00 to 11:00: 12 alerts, 4 critical, 8 high`. */
export function barText({from, to, total, parts}: AlertBar): string {
  const each = parts.map(({severity, alerts}) => `, ${alerts} ${severityWord(severity).toLowerCase()}`).join('');
  return `${minuteText(from)} to ${minuteText(to)}: ${total === 1 ? '1 alert' : `${total} alerts`}${each}`;
}

/** The threats list of a severity, of an hour, or of both. */
export const threatsLink = (parent: string, severity?: Severity, bar?: Pick<AlertBar, 'from' | 'to'>): string =>
  links.threats({
    in: `${parent}/endpoints/-`,
    q: severity === undefined ? undefined : `alert_severity=${severity}`,
    from: bar === undefined ? undefined : new Date(bar.from).toISOString(),
    to: bar === undefined ? undefined : new Date(bar.to).toISOString(),
  });

/** A round number at or above: 1, 2, 5, 10, 20 and so on. */
export function scaleTop(highest: number): number {
  const base = 10 ** Math.floor(Math.log10(Math.max(1, highest)));
  return [1, 2, 5, 10].map(step => step * base).find(step => step >= highest) ?? highest;
}
