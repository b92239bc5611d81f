/**
 * The steps of a plan as a graph, with those that open proposals would add, and where each node is drawn. Pure.
 *
 * The layout takes time in proportion to the edges: that of the plays, which crosses fewer edges, takes seconds for 500
 * steps.
 */
import type { PlanStep, PlanView } from '../../api/types';

/** `step`: null for one that is only proposed. */
export interface IStepNode {
  id: string;
  title: string;
  step: PlanStep | null;
}

export interface IStepEdge {
  id: string;
  from: string;
  to: string;
  isProposed: boolean;
}

export interface IStepGraph {
  nodes: IStepNode[];
  edges: IStepEdge[];
}

export interface IPoint {
  x: number;
  y: number;
}

/** In pixels. */
export const NODE = { width: 176, height: 48 } as const;
const GAP = { x: 48, y: 12 } as const;
/** Between the nodes and the edge of the canvas. */
const MARGIN = 12;

/** At this zoom, the smallest text of a node, 12 px, is 11 px high: smaller text is hard to read. */
export const READABLE = 11 / 12;
const SWEEPS = 2;

export function stepGraph({ proposals, steps }: PlanView): IStepGraph {
  const known = new Set(steps.map(({ id }) => id));
  const nodes: IStepNode[] = steps.map(step => ({ id: step.id, title: step.title, step }));
  const edges: IStepEdge[] = [];
  const link = (from: string, to: string, isProposed: boolean) => {
    if (known.has(from) && known.has(to)) {
      edges.push({ id: `${from} ${to}`, from, to, isProposed });
    }
  };
  steps.forEach(({ depends_on, id }) => depends_on.forEach(each => link(each, id, false)));
  for (const { id, mutations, state, step_id } of proposals) {
    const source = steps.find(step => step.id === step_id);
    if (state !== 'open' || !source) {
      continue;
    }
    const dependents = steps.filter(({ depends_on }) => depends_on.includes(step_id));
    let anchor = step_id;
    mutations.forEach(({ kind, title }, index) => {
      const added = `${id}/${index}`;
      known.add(added);
      nodes.push({ id: added, title, step: null });
      if (kind === 'INSERT_BETWEEN') {
        link(anchor, added, true);
        anchor = added;
      } else {
        source.depends_on.forEach(each => link(each, added, true));
      }
      dependents.forEach(each => link(added, each.id, true));
    });
  }
  return { nodes, edges };
}

/** The upper left corner of each node: what a step depends on is left of it, and what is alone is below the others. */
export function placed({ edges, nodes }: IStepGraph): Map<string, IPoint> {
  const before = grouped(
    edges,
    ({ to }) => to,
    ({ from }) => from
  );
  const after = grouped(
    edges,
    ({ from }) => from,
    ({ to }) => to
  );
  const linked = nodes.filter(({ id }) => before.has(id) || after.has(id));
  const layers = inLayers(
    linked.map(({ id }) => id),
    before,
    after
  );
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    layers.forEach((_, at) => arrange(layers, at, before));
    [...layers.keys()].reverse().forEach(at => arrange(layers, at, after));
  }
  const places = new Map<string, IPoint>();
  const tallest = Math.max(0, ...layers.map(({ length }) => length));
  layers.forEach((layer, column) =>
    layer.forEach((id, row) => places.set(id, point(column, row + (tallest - layer.length) / 2)))
  );
  const alone = nodes.filter(({ id }) => !places.has(id));
  const wide = Math.max(layers.length, Math.ceil(Math.sqrt(alone.length / 3)), 1);
  alone.forEach(({ id }, at) =>
    places.set(id, point(at % wide, tallest + (tallest ? 0.5 : 0) + Math.floor(at / wide)))
  );
  return places;
}

function point(column: number, row: number): IPoint {
  return { x: column * (NODE.width + GAP.x), y: row * (NODE.height + GAP.y) };
}

/** In pixels of the page. */
export interface ISize {
  width: number;
  height: number;
}

/** Where the origin of the graph is drawn in the canvas, and how large. */
export interface IView extends IPoint {
  zoom: number;
}

/** The step to look at first: the one that is shown, that works, or else the first that is not finished. */
export function firstToShow(steps: readonly PlanStep[], shown: PlanStep | null): PlanStep | null {
  const isFinished = ({ state }: PlanStep) => state === 'done' || state === 'skipped';
  return (
    shown ??
    steps.find(({ state }) => state === 'running') ??
    steps.find(step => !isFinished(step)) ??
    steps[0] ??
    null
  );
}

/** All of the graph if its text is readable then; else the part of it around a node. */
export function firstView(
  places: ReadonlyMap<string, IPoint>,
  canvas: ISize,
  focus: string | null
): { view: IView; isWhole: boolean } {
  const points = [...places.values()];
  const around = focus === null ? undefined : places.get(focus);
  const range = (axis: 'x' | 'y') => {
    const size = axis === 'x' ? NODE.width : NODE.height;
    const all = points.map(point => point[axis]);
    const start = Math.min(...all);
    const middle = (around?.[axis] ?? start) + size / 2;
    return { start, length: Math.max(...all) + size - start, middle };
  };
  const [x, y] = [range('x'), range('y')];
  const room = { x: canvas.width - 2 * MARGIN, y: canvas.height - 2 * MARGIN };
  const fitting = Math.min(room.x / x.length, room.y / y.length, 1);
  const zoom = Math.max(fitting, READABLE);
  const offset = ({ length, middle, start }: typeof x, space: number) => {
    if (length * zoom <= space) {
      return MARGIN + (space - length * zoom) / 2 - start * zoom;
    }
    const centred = MARGIN + space / 2 - middle * zoom;
    const [first, last] = [start, start + length].map(at => -at * zoom);
    return Math.min(MARGIN + first, Math.max(centred, MARGIN + space + last)); // no empty space beside it
  };
  return {
    view: { x: offset(x, room.x), y: offset(y, room.y), zoom },
    isWhole: fitting >= READABLE
  };
}

export type Corner = 'bottom-left' | 'bottom-right' | 'top-left' | 'top-right';

/** With the space around them. */
const CONTROLS: ISize = { width: 110, height: 48 };
const MAP: ISize = { width: 114, height: 66 };

/** In which corners the buttons and the map cover no node. The buttons are always shown, the map only if there is one. */
export function freeCorners(
  places: ReadonlyMap<string, IPoint>,
  canvas: ISize,
  view: IView
): { controls: Corner; map: Corner | null } {
  const isFree = (corner: Corner, size: ISize) => {
    const left = corner.endsWith('left') ? 0 : canvas.width - size.width;
    const top = corner.startsWith('top') ? 0 : canvas.height - size.height;
    return ![...places.values()].some(({ x, y }) => {
      const [start, above] = [view.x + x * view.zoom, view.y + y * view.zoom];
      return (
        start < left + size.width &&
        start + NODE.width * view.zoom > left &&
        above < top + size.height &&
        above + NODE.height * view.zoom > top
      );
    });
  };
  const corners: Corner[] = ['bottom-left', 'bottom-right', 'top-left', 'top-right'];
  const controls = corners.find(corner => isFree(corner, CONTROLS)) ?? 'bottom-left';
  const forMap: Corner[] = ['top-right', 'top-left']; // the name of the library is at the bottom
  const map = forMap.find(corner => corner !== controls && isFree(corner, MAP)) ?? null;
  return { controls, map };
}

/** Whether a node is in sight as a whole. */
export function isInSight({ x, y }: IPoint, { height, width }: ISize, view: IView): boolean {
  const [left, top] = [view.x + x * view.zoom, view.y + y * view.zoom];
  return (
    left >= 0 &&
    top >= 0 &&
    left + NODE.width * view.zoom <= width &&
    top + NODE.height * view.zoom <= height
  );
}

type Links = ReadonlyMap<string, readonly string[]>;

function grouped(
  edges: readonly IStepEdge[],
  key: (edge: IStepEdge) => string,
  value: (edge: IStepEdge) => string
): Links {
  const groups = new Map<string, string[]>();
  edges.forEach(edge => {
    const group = groups.get(key(edge));
    if (group) {
      group.push(value(edge));
    } else {
      groups.set(key(edge), [value(edge)]);
    }
  });
  return groups;
}

/** Each in the layer of the longest way to it. The server takes no circle; what is in one would stay in layer 0. */
function inLayers(ids: readonly string[], before: Links, after: Links): string[][] {
  const layerOf = new Map(ids.map(id => [id, 0]));
  const waiting = new Map(ids.map(id => [id, before.get(id)?.length ?? 0]));
  const ready = ids.filter(id => waiting.get(id) === 0);
  for (const id of ready) {
    after.get(id)?.forEach(next => {
      layerOf.set(next, Math.max(layerOf.get(next)!, layerOf.get(id)! + 1));
      waiting.set(next, waiting.get(next)! - 1);
      if (waiting.get(next) === 0) {
        ready.push(next); // an array is walked to what is added meanwhile
      }
    });
  }
  const layers: string[][] = [];
  ids.forEach(id => (layers[layerOf.get(id)!] ??= []).push(id));
  return layers;
}

/** Order a layer by the middle of what each node is linked to, so that edges are short and cross less. */
function arrange(layers: string[][], at: number, links: Links): void {
  const rows = new Map<string, number>();
  layers.forEach(layer => layer.forEach((id, row) => rows.set(id, row - layer.length / 2)));
  const middle = new Map(
    layers[at].map(id => {
      const others = links.get(id) ?? [];
      const sum = others.reduce((total, each) => total + rows.get(each)!, 0);
      return [id, others.length ? sum / others.length : rows.get(id)!];
    })
  );
  layers[at].sort((a, b) => middle.get(a)! - middle.get(b)!);
}
