/**
 * Draws a goal with uPlot, in the colours of the theme that is there. Loaded lazily.
 */
import UPlot from 'uplot';

import 'uplot/dist/uPlot.min.css';

import type { IPlot } from '../stores/goals';

const HEIGHT = 168;
const DAY_S = 86_400;
/** Of a period's width: how wide the bar of an earlier one is drawn. */
const BAR_SHARE = 0.6;
/** In pixels: what stands left of the periods. */
const LEFT = 44;
/** Where all amounts are whole, no line stands between them. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Follows the width of `host` and the theme until the answer is called. */
export function drawGoal(host: HTMLElement, plot: IPlot): () => void {
  let drawn: UPlot | null = null;
  const draw = () => {
    drawn?.destroy();
    drawn = new UPlot(options(host, plot), dataOf(plot), host);
  };
  const sizes = new ResizeObserver(() => {
    if (host.clientWidth > 0) {
      drawn?.setSize({ width: host.clientWidth, height: HEIGHT });
    }
  });
  // A theme's values are there after the next frame.
  const themes = new MutationObserver(() => requestAnimationFrame(() => drawn && draw()));
  draw();
  sizes.observe(host);
  themes.observe(document.body, { attributes: true, attributeFilter: ['data-jp-theme-name'] });
  return () => {
    sizes.disconnect();
    themes.disconnect();
    drawn?.destroy();
    drawn = null;
  };
}

/** Seconds: the middle of each earlier period, then the current one's start, now and end. */
function dataOf(plot: IPlot): UPlot.AlignedData {
  const [start, now, end] = [plot.start, plot.now, plot.end].map(time => time / 1000);
  const length = end - start;
  const past = plot.past.map((_, index) => start - (plot.past.length - index - 0.5) * length);
  const blank = past.map(() => null);
  const { current, expected, floor, target } = plot;
  return [
    [...past, start, Math.max(now, start + 1), Math.max(end, start + 2)],
    [...plot.past.map(({ actual }) => actual), null, null, null],
    [...blank, target === null ? null : 0, expected, target],
    [...blank, floor, floor, floor],
    [...blank, null, current, null]
  ];
}

function options(host: HTMLElement, plot: IPlot): UPlot.Options {
  const style = getComputedStyle(document.body);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [text, line, brand, quiet] = [
    colour('--jp-ui-font-color1'),
    colour('--jp-border-color2'),
    colour('--jp-brand-color1'),
    colour('--jp-ui-font-color2')
  ];
  const most = Math.max(
    plot.target ?? 0,
    plot.current,
    plot.floor ?? 0,
    ...plot.past.map(({ actual }) => actual),
    1
  );
  const days = Math.max(1, Math.round((plot.end - plot.start) / 1000 / DAY_S));
  const first = plot.start / 1000 - plot.past.length * days * DAY_S;
  const font = `12px ${colour('--jp-ui-font-family') || 'sans-serif'}`;
  const axis = { font, stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const room = (host.clientWidth - LEFT) / (plot.past.length + 1);
  const wide = Math.max(4, Math.min(48, room * BAR_SHARE));
  const bars = UPlot.paths.bars!({ size: [1, wide, wide] });
  const amounts = [plot.current, plot.target, plot.floor, ...plot.past.map(each => each.actual)];
  const isWhole = amounts.every(amount => Number.isInteger(amount ?? 0));
  return {
    width: Math.max(120, host.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { range: [first, plot.end / 1000] }, y: { range: [0, most * 1.1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, times) => times.map(dayOf(days)),
        size: 28,
        space: 64
      },
      { ...axis, size: LEFT, ...(isWhole ? { incrs: WHOLE } : {}) }
    ],
    series: [
      {},
      { stroke: quiet, fill: line, width: 1, paths: bars, points: { show: false } },
      { stroke: quiet, width: 1, dash: [4, 4], spanGaps: true, points: { show: false } },
      { stroke: quiet, width: 1, dash: [1, 3], spanGaps: true, points: { show: false } },
      { stroke: brand, width: 2, points: { show: true, size: 9, fill: brand, stroke: brand } }
    ]
  };
}

/** A short name of a day, of an hour where the period is one day. */
function dayOf(days: number): (seconds: number) => string {
  const how: Intl.DateTimeFormatOptions =
    days === 1
      ? { hour: '2-digit', minute: '2-digit', hour12: false }
      : days <= 7
        ? { weekday: 'short', day: 'numeric' }
        : { day: 'numeric', month: 'short' };
  return seconds => new Date(seconds * 1000).toLocaleString(undefined, how);
}
