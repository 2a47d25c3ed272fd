// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useMemo} from 'react';
import {barTimes, wholeBars} from '../../records/time-range.ts';
import type {Sums} from '../../records/use-record-sums.ts';
import {Chart} from '../../ui/chart/chart.tsx';
import {SEVERITIES, SEVERITY_TOKEN, severityWord} from '../../ui/index.ts';
import css from './threats.module.css';

const HEIGHT_PX = 112;

export type HistogramProps = {
  readonly data: Sums | undefined;
  /** Why there are no data. */
  readonly error: string | undefined;
  /** RFC 3339, whole bars. */
  readonly onZoom: (from: string, to: string) => void;
};

/** Alerts over time by severity; the worst are at the bottom, where they are easiest to compare. */
export function Histogram({data, error, onZoom}: HistogramProps): ReactNode {
  const drawn = useMemo(() => {
    if (data === undefined) return {times: [], series: []};
    const bars = new Map((data.sums.histogram ?? []).map(bar => [Date.parse(bar.startTime), bar.severities ?? {}]));
    const times = barTimes(data.bounds, data.width.ms, bars.keys().next().value, data.at);
    const series = SEVERITIES.map(severity => ({
      label: severityWord(severity),
      color: SEVERITY_TOKEN[severity],
      values: times.map(time => bars.get(time)?.[severity] ?? 0),
    }));
    return {times, series};
  }, [data]);
  return (
    <div className={css['histogram']}>
      {data === undefined && error !== undefined && <p className={css['noBars']}>{error}</p>}
      {data !== undefined && (
        <Chart
          label={`Alerts by severity, each bar ${data.width.text}`}
          kind="stacked-bars"
          isWhole
          height={HEIGHT_PX}
          {...drawn}
          onSelect={(from, to) => onZoom(...wholeBars(from, to, data.width.ms))}
        />
      )}
    </div>
  );
}
