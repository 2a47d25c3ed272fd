// SPDX-License-Identifier: Apache-2.0
/** Import it from a lazy page only: the drawing library belongs to the chunks of pages with charts. */
import {type ReactNode, useEffect, useMemo, useRef} from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {useShade} from '../../design/theme.ts';
import {absoluteText} from '../data/time-text.ts';
import css from './chart.module.css';
import {type ChartData, chartText, rangeText, spanText, stack, tickText, WHOLE_STEPS} from './chart-text.ts';

export type ChartProps = ChartData & {
  /** What is measured: `Packets a second`. */
  readonly label: string;
  readonly kind?: 'lines' | 'bars' | 'stacked-bars';
  /** In pixels; fixed, so that nothing moves. */
  readonly height?: number;
  readonly format?: (value: number) => string;
  /** The axis of the values has whole numbers only: for counts. */
  readonly isWhole?: boolean;
  /** After dragging over a range, in milliseconds since the epoch. */
  readonly onSelect?: (from: number, to: number) => void;
};

const PLAIN = new Intl.NumberFormat('en', {maximumFractionDigits: 2});
const plain = (value: number): string => PLAIN.format(value);
const SECOND_MS = 1000;

/** Values over time. Drag to select a range; the legend shows the values under the pointer, else the range of all. */
export function Chart({
  label,
  times,
  series,
  kind = 'lines',
  height = 180,
  format = plain,
  isWhole = false,
  onSelect,
}: ChartProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const shade = useShade();
  const select = useRef(onSelect);
  select.current = onSelect;
  const drawn = useMemo(() => (kind === 'stacked-bars' ? stack(series).toReversed() : series), [kind, series]);
  const data = useMemo(
    () => [times.map(time => time / SECOND_MS), ...drawn.map(({values}) => [...values])] as UPlot.AlignedData,
    [times, drawn],
  );
  const latest = useRef(data);
  latest.current = data;
  const shape = JSON.stringify(drawn.map(({label: name, color}) => [name, color]));
  const canSelect = onSelect !== undefined;
  // Built again when its shape or its colours change, not with each value.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new UPlot(
      {
        ...optionsOf({series: drawn, kind, format, isWhole}),
        width: Math.max(1, element.clientWidth),
        height,
        cursor: {drag: {x: canSelect, y: false, setScale: false}, points: {size: 6}},
        hooks: {setSelect: [self => selected(self, select.current)]},
      },
      latest.current,
      element,
    );
    if (kind === 'stacked-bars') reverseLegend(made);
    plot.current = made;
    const resize = new ResizeObserver(() => made.setSize({width: Math.max(1, element.clientWidth), height}));
    resize.observe(element);
    return () => {
      resize.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, kind, height, shade, canSelect, isWhole]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <figure className={css['chart']}>
      <div ref={place} role="img" aria-label={chartText(label, {times, series}, format)} style={{minHeight: height}} />
    </figure>
  );
}

/** Stacks are drawn from the top; the legend has the order of the series. */
function reverseLegend({root}: UPlot): void {
  const body = root.querySelector('.u-legend tbody');
  body?.append(...[...body.children].reverse());
}

function selected(plot: UPlot, onSelect: ChartProps['onSelect']): void {
  const {left, width} = plot.select;
  if (width < 3) return;
  onSelect?.(
    Math.round(plot.posToVal(left, 'x') * SECOND_MS),
    Math.round(plot.posToVal(left + width, 'x') * SECOND_MS),
  );
  plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
}

const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Of all times. */
function wholeSpan({data: [times]}: UPlot): string {
  const [first, last] = [times[0], times.at(-1)];
  return first === undefined || last === undefined ? '–' : spanText(first * SECOND_MS, last * SECOND_MS);
}

/** Where there is no value: of all, while the pointer is elsewhere. */
const idleText = (plot: UPlot, index: number, format: Drawing['format']): string =>
  (plot.cursor.idx == null ? rangeText([...(plot.data[index] ?? [])], format) : undefined) ?? '–';

/** Between the steps of values, in pixels: even a low chart has one step above zero. */
const valueSpace = (_plot: UPlot, _axis: number, _low: number, _high: number, heightPx: number): number =>
  Math.min(30, Math.max(12, heightPx / 3));

/** Between labels of times, in pixels: the widest is `23:59:59`. */
const TIME_PX = 60;

/** Right of the drawing, in pixels: half of the widest label of a time. */
const RIGHT_PX = 26;

type Drawing = Required<Pick<ChartProps, 'series' | 'kind' | 'format' | 'isWhole'>>;

function optionsOf({series, kind, format, isWhole}: Drawing) {
  const axis = {
    stroke: token('--text-muted'),
    font: `11px ${token('--font-text')}`,
    grid: {stroke: token('--border'), width: 1},
    ticks: {stroke: token('--border'), width: 1, size: 4},
  };
  const isBars = kind !== 'lines';
  const paths = isBars ? UPlot.paths.bars?.({size: [0.8, 40], align: 1}) : undefined;
  return {
    padding: [null, RIGHT_PX, null, null] as UPlot.Padding,
    axes: [
      {
        ...axis,
        size: 30,
        space: TIME_PX,
        values: (_plot: UPlot, ticks: number[], _axis: number, _space: number, step: number) =>
          ticks.map(tick => tickText(tick * SECOND_MS, step)),
      },
      {
        ...axis,
        size: 52,
        space: valueSpace,
        values: (_plot: UPlot, ticks: number[]) => ticks.map(format),
        ...(isWhole ? {incrs: [...WHOLE_STEPS]} : {}),
      },
    ],
    scales: {y: {range: (_plot: UPlot, _low: number, high: number): [number, number] => [0, Math.max(1, high * 1.1)]}},
    legend: {show: true, live: kind !== 'stacked-bars'},
    series: [
      {
        label: 'Time',
        value: (plot: UPlot, at: number | null) => (at === null ? wholeSpan(plot) : absoluteText(at * SECOND_MS)),
      },
      ...series.map(({label, color}, at) => {
        const stroke = token(color ?? `--series-${(at % 6) + 1}`);
        return {
          label,
          stroke,
          width: isBars ? 0 : 1.5,
          points: {show: false},
          value: (plot: UPlot, value: number | null, index: number) =>
            value === null ? idleText(plot, index, format) : format(value),
          ...(isBars ? {fill: stroke} : {}),
          ...(paths === undefined ? {} : {paths}),
        };
      }),
    ],
  };
}
