/**
 * Where the nodes of the graph of plays stand: in layers, from what starts to what is started. Loaded with the graph.
 */
import { Graph, layout } from '@dagrejs/dagre';

import type { IPlayGraph } from './graph';

/** In pixels. */
export const NODE = { width: 176, height: 56 } as const;
const GAP = { nodesep: 16, ranksep: 56, marginx: 16, marginy: 16 } as const;

export interface IPoint {
  x: number;
  y: number;
}

/** The upper left corner of each node, by its id. */
export function placed({ edges, nodes }: IPlayGraph): Map<string, IPoint> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ...GAP });
  nodes.forEach(({ id }) => graph.setNode(id, { ...NODE }));
  edges.forEach(({ from, id, to }) => graph.setEdge(from, to, {}, id));
  layout(graph);
  return new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(id) as IPoint;
      return [id, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
    })
  );
}
