/** Bars: side by side or stacked, also below zero; for distributions they touch. */
import { stack, stackOffsetDiverging } from 'd3-shape';
import type { CardOptions } from '../../lib/dashboards/dashboard.ts';
import type { ChartData } from './chart-data.ts';
import type { Plot, Size } from './plot.ts';
import { addGoal, plotOf } from './plot.ts';
import { shape } from './svg.ts';

interface Bar {
  readonly place: number;
  readonly series: number;
  readonly low: number;
  readonly high: number;
}

const WIDEST_PX = 64;

export function barChart(
  data: ChartData,
  viz: 'bar' | 'lifecycle' | 'histogram',
  options: CardOptions,
  size: Size,
): Plot {
  const stacked = data.series.length > 1 && (viz === 'lifecycle' || options.stacked);
  const bars = stacked ? stackedBars(data) : bareBars(data);
  const plot = plotOf(data, {
    size,
    extent: [Math.min(0, ...bars.map(({ low }) => low)), Math.max(0, ...bars.map(({ high }) => high))],
    goal: options.goal,
    ends: 'bands',
  });
  const { svg, x, y, step } = plot;
  const share = viz === 'histogram' ? 0.96 : 0.72;
  const beside = stacked ? 1 : data.series.length;
  const width = Math.max(1, Math.min((step * share) / beside, viz === 'histogram' ? step : WIDEST_PX));
  for (const { place, series, low, high } of bars) {
    const left = x(place) - (width * beside) / 2 + (stacked ? 0 : width * series);
    const cut = data.places[place]?.cut === true ? ' cut' : '';
    const gap = beside > 1 ? Math.min(1, width / 4) : 0;
    svg.append(
      shape('rect', {
        class: `block s${series}${cut}`,
        'data-series': series,
        x: left + gap / 2,
        width: width - gap,
        y: y(high),
        height: Math.max(high > low ? 1 : 0, y(low) - y(high)),
        rx: Math.min(2, width / 4),
      }),
    );
  }
  addGoal(plot, data, options.goal);
  return plot;
}

/** The data of a lifecycle, with dormant people below zero. */
export function withDormantBelow(data: ChartData): ChartData {
  return {
    ...data,
    series: data.series.map(({ values, ...one }) => ({
      ...one,
      values: /\bdormant$/.test(one.name) ? values.map((value) => (value === null ? null : -value)) : values,
    })),
  };
}

function bareBars({ series }: ChartData): readonly Bar[] {
  return series.flatMap(({ values }, index) =>
    values.flatMap((value, place) =>
      value === null ? [] : [{ place, series: index, low: Math.min(0, value), high: Math.max(0, value) }],
    ),
  );
}

function stackedBars({ series, places }: ChartData): readonly Bar[] {
  const layers = stack<number, number>()
    .keys(series.map((_, index) => index))
    .value((place, index) => series[index]?.values[place] ?? 0)
    .offset(stackOffsetDiverging)(places.map((_, place) => place));
  return layers.flatMap((layer) =>
    layer.flatMap(([low, high], place) =>
      low === high ? [] : [{ place, series: layer.key, low: Math.min(low, high), high: Math.max(low, high) }],
    ),
  );
}
