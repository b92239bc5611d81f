/**
 * What starts what, drawn; and the same as a list of sentences. Loaded when it is first shown.
 */
import {
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow
} from '@xyflow/react';
import * as React from 'react';

import type { PlayRow } from '../../../api/types';
import { playIcon, warningIcon } from '../../../shared/icons';
import { visible } from '../../../shared/untrusted';
import { Icon, StateMark, Strip } from '../../../shared/views/components';
import { type GraphNode, type IGraphEdge, playGraph } from '../../stores/plays/graph';
import { NODE, placed } from '../../stores/plays/layout';
import { endingWords, type INames, playStatus, triggerWords } from '../../stores/plays/words';
import { Nothing } from '../parts';
import { useNames, usePlays } from './services';

import '@xyflow/react/dist/base.css';
import '../../../../style/graph.css';

/** What can be laid out in an instant, and be read. */
const MOST_EDGES = 300;

interface IGraphProps {
  plays: readonly PlayRow[];
  current: string | null;
  onChoose: (slug: string) => void;
}

type DrawnNode = Node<{ node: GraphNode }, 'cabinet'>;

const NODE_TYPES = { cabinet: Drawn };

export function PlayGraph(props: IGraphProps): React.ReactElement {
  const { current, onChoose, plays } = props;
  const { trans } = usePlays();
  const names = useNames();
  const graphId = React.useId(); // otherwise the arrows vanish while another graph is hidden
  const graph = React.useMemo(() => playGraph(plays), [plays]);
  const isDrawn = graph.edges.length <= MOST_EDGES;
  const places = React.useMemo(() => (isDrawn ? placed(graph) : null), [graph, isDrawn]);
  const labels = new Map(graph.nodes.map(node => [node.id, nodeWords(node, names, trans)]));
  if (graph.nodes.length === 0) {
    return (
      <Nothing>
        {trans.__(
          'All plays are started by hand. To start a play on a schedule, after a file changes or after another play, edit it and add a trigger.'
        )}
      </Nothing>
    );
  }
  const nodes: DrawnNode[] = graph.nodes.map(node => ({
    id: node.id,
    type: 'cabinet',
    position: places?.get(node.id) ?? { x: 0, y: 0 },
    data: { node },
    selected: node.kind === 'play' && node.play.slug === current,
    selectable: node.kind === 'play',
    focusable: node.kind === 'play',
    ariaLabel: labels.get(node.id),
    ...NODE
  }));
  const circular = graph.edges.filter(edge => edge.isCircular);
  const alone = graph.alone.map(play => visible(play.title || play.slug)).join(', ');
  return (
    <div className="jp-Cabinet-play-graph">
      {circular.length > 0 && (
        <Strip tone="warning" icon={<Icon icon={warningIcon} />}>
          {trans.__('A play would start itself again, so the chain of runs stops there.')}
        </Strip>
      )}
      {!isDrawn && (
        <Nothing>
          {trans.__('There are too many plays to draw. Filter them, or read the list below.')}
        </Nothing>
      )}
      {isDrawn && (
        <div className="jp-Cabinet-graph">
          <ReactFlow
            id={graphId}
            nodes={nodes}
            edges={graph.edges.map(edge => drawnEdge(edge, trans))}
            nodeTypes={NODE_TYPES}
            nodesDraggable={false}
            nodesConnectable={false}
            edgesFocusable={false}
            fitView
            fitViewOptions={{ minZoom: 0.7, maxZoom: 1 }}
            minZoom={0.2}
            aria-label={trans.__('What starts what')}
            onNodesChange={made => {
              const chosen = made.find(each => each.type === 'select' && each.selected);
              const node = graph.nodes.find(
                ({ id }) => chosen?.type === 'select' && id === chosen.id
              );
              if (node?.kind === 'play') {
                onChoose(node.play.slug);
              }
            }}
          >
            <Controls showInteractive={false} />
          </ReactFlow>
        </div>
      )}
      <details className="jp-Cabinet-page-text" open={!isDrawn || undefined}>
        <summary>{trans.__('As a list')}</summary>
        <ul aria-label={trans.__('What starts what')}>
          {graph.edges.map(({ ending, from, id, to }) => (
            <li key={id}>
              {ending
                ? trans.__(
                    '%1 starts %2 %3',
                    labels.get(from),
                    labels.get(to),
                    endingWords(ending, trans)
                  )
                : trans.__('%1: %2', labels.get(from), labels.get(to))}
            </li>
          ))}
        </ul>
      </details>
      {alone && (
        <p className="jp-Cabinet-page-text jp-Cabinet-quiet">
          {trans.__('Started only by hand: %1', alone)}
        </p>
      )}
    </div>
  );
}

type Trans = ReturnType<typeof usePlays>['trans'];

function nodeWords(node: GraphNode, names: INames, trans: Trans): string {
  switch (node.kind) {
    case 'play':
      return visible(node.play.title || node.play.slug);
    case 'missing':
      return trans.__('%1 (not found)', visible(node.slug));
    case 'source':
      return visible(triggerWords(node.trigger, node.schedule, names, trans));
  }
}

function drawnEdge({ ending, from, id, isCircular, to }: IGraphEdge, trans: Trans): Edge {
  return {
    id,
    source: from,
    target: to,
    type: 'smoothstep',
    label: ending === 'failed' ? trans.__('failed') : undefined,
    className: `jp-mod-${isCircular ? 'circular' : (ending ?? 'source')}`,
    markerEnd: { type: MarkerType.ArrowClosed, color: 'currentColor' },
    focusable: false
  };
}

function Drawn({ data: { node }, selected }: NodeProps<DrawnNode>): React.ReactElement {
  const { trans } = usePlays();
  const names = useNames();
  const words = nodeWords(node, names, trans);
  const state = node.kind === 'play' ? playStatus(node.play, trans) : null;
  return (
    <div className={`jp-Cabinet-play-node jp-mod-${node.kind}`} data-current={selected}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {node.kind === 'play' && <Icon icon={playIcon} />}
      {node.kind === 'missing' && <Icon icon={warningIcon} />}
      <span className="jp-Cabinet-play-node-text" title={words}>
        <span>{words}</span>
        {node.kind === 'play' && node.play.agent && (
          <span className="jp-Cabinet-page-row-second">
            {visible(names.agent(node.play.agent))}
          </span>
        )}
      </span>
      {state && (
        <span className="jp-Cabinet-play-state" title={state.label}>
          <StateMark icon={state.icon} />
          <span className="jp-Cabinet-spoken">{state.label}</span>
        </span>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
