// SPDX-License-Identifier: Apache-2.0
import {parseWidth} from '@palisade/ids-wire';
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {type ReactNode, useMemo} from 'react';
import {errorText, useApi} from '../../../api/index.ts';
import {wallClock} from '../../../clock.ts';
import {Chart} from '../../../ui/chart/chart.tsx';
import {ErrorState, Loading, percentText, Section, Select, shortNumber} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {RANGES, type Range, toSeries} from '../model/figures.ts';

const LABELS: Readonly<Record<Range, string>> = {
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
};
const OPTIONS = RANGES.map(value => ({value, label: LABELS[value]}));
/** A new sample every 10 s in the last hour, every 5 min in longer times. */
const POLL_MS: Readonly<Record<Range, number>> = {'1h': 10_000, '6h': 60_000, '24h': 60_000, '7d': 300_000};
const HEIGHT = 190;

const useFigures = (name: string, range: Range) => {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['ids-figures', name, range],
    queryFn: async ({signal}) => {
      const until = wallClock();
      const since = until - (parseWidth(range) ?? 0);
      const figures = await ids.getFigures(name, {since: new Date(since).toISOString(), signal});
      return toSeries(figures, since, until);
    },
    refetchInterval: POLL_MS[range],
    placeholderData: keepPreviousData,
  });
};

export type FiguresSectionProps = {
  readonly name: string;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
};

/** Packets and loss over time. Gaps are times in which no sensor ran. */
export function FiguresSection({name, range, onRange}: FiguresSectionProps): ReactNode {
  const {data, error, refetch} = useFigures(name, range);
  const choice = (
    <Select
      label="Time of the charts"
      hideLabel
      value={range}
      onChange={event => onRange(event.target.value as Range)}
      options={OPTIONS}
    />
  );
  const packets = useMemo(() => [{label: 'Packets/s', values: data?.packetsPerSecond ?? []}], [data]);
  const bits = useMemo(() => [{label: 'bit/s', values: data?.bitsPerSecond ?? [], color: '--series-3'}], [data]);
  const loss = useMemo(() => [{label: 'Loss', values: data?.lossPercent ?? [], color: '--series-6'}], [data]);
  return (
    <Section title="Traffic" actions={choice}>
      {data === undefined ? (
        <div className={css['chartsPlace']}>
          {error === null ? (
            <Loading label="Loading the charts" rows={5} />
          ) : (
            <ErrorState title="The charts cannot be shown" text={errorText(error)} onRetry={() => void refetch()} />
          )}
        </div>
      ) : (
        <div className={css['charts']}>
          <ChartBox title="Packets a second">
            <Chart
              label="Packets a second"
              times={data.times}
              series={packets}
              format={shortNumber}
              isWhole
              height={HEIGHT}
            />
          </ChartBox>
          <ChartBox title="Bits a second">
            <Chart
              label="Bits a second"
              times={data.times}
              series={bits}
              format={shortNumber}
              isWhole
              height={HEIGHT}
            />
          </ChartBox>
          <ChartBox title="Packets lost, in percent">
            <Chart label="Packets lost in percent" times={data.times} series={loss} format={percent} height={HEIGHT} />
          </ChartBox>
        </div>
      )}
    </Section>
  );
}

const percent = (value: number): string => percentText(value / 100);

const ChartBox = ({title, children}: {readonly title: string; readonly children: ReactNode}): ReactNode => (
  <div className={css['chartBox']}>
    <h3>{title}</h3>
    {children}
  </div>
);
