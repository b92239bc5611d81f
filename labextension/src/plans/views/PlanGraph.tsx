/**
 * The steps of a plan, drawn. The list beside it says the same. Loaded when it is first shown.
 */
import {
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance
} from '@xyflow/react';
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlanView } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { Icon } from '../../shared/views/components';
import { type IStepEdge, type IStepNode, NODE, placed, stepGraph } from '../stores/graph';
import { stepLabel, stepStateText } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { PlanMark } from './parts';
import { usePlans } from './services';

import '@xyflow/react/dist/base.css';
import '../../../style/graph.css';

/** More are not all shown at first, because nobody could read them. */
const ALL_AT_ONCE = 40;
const ZOOM = { minZoom: 0.6, maxZoom: 1 } as const;

type DrawnNode = Node<{ node: IStepNode }, 'step'>;

const NODE_TYPES = { step: Drawn };

export function PlanGraph(props: { plan: PlanView; store: PlanStore }): React.ReactElement {
  const { plan, store } = props;
  const { trans } = usePlans();
  const { proposals, steps } = plan;
  const graph = React.useMemo(() => stepGraph(plan), [steps, proposals]);
  // It is only laid out again where a step or a dependency is new.
  const shape = graph.nodes.map(({ id }) => id).join() + graph.edges.map(({ id }) => id).join();
  const places = React.useMemo(() => placed(graph), [shape]);
  const nodes = graph.nodes.map((node): DrawnNode => {
    const { id, step, title } = node;
    const state = step ? stepStateText(step, trans) : trans.__('Proposed');
    return {
      id,
      type: 'step',
      position: places.get(id)!,
      data: { node },
      selected: id === store.stepId,
      selectable: step !== null,
      focusable: step !== null,
      ariaLabel: trans.__('%1: %2', visible(title), state),
      ...NODE,
      measured: NODE // without it, all edges vanish at each change until the nodes are measured again
    };
  });
  const first = store.step ?? steps.find(({ state }) => state === 'running') ?? steps[0];
  const focus = nodes.length > ALL_AT_ONCE ? first.id : null;
  const { canvas, onInit, onMove } = useFit(shape, focus);
  return (
    <div ref={canvas} className="jp-Cabinet-graph">
      <ReactFlow
        nodes={nodes}
        edges={graph.edges.map(drawnEdge)}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements
        onInit={onInit}
        onMove={onMove}
        minZoom={0.1}
        aria-label={trans.__('Graph of the steps')}
        onNodesChange={made => {
          const chosen = made.find(each => each.type === 'select' && each.selected);
          if (chosen?.type === 'select' && steps.some(({ id }) => id === chosen.id)) {
            store.open(chosen.id);
          }
        }}
      >
        <Controls orientation="horizontal" showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

type Flow = ReactFlowInstance<DrawnNode>;

/**
 * Shows all again when a step is new or the canvas has another size, unless a person has moved it. `focus`: the step
 * that is shown instead of all.
 */
function useFit(shape: string, focus: string | null) {
  const canvas = React.useRef<HTMLDivElement>(null);
  const flow = React.useRef<Flow | null>(null);
  const isMoved = React.useRef(false);
  const focused = React.useRef(focus);
  focused.current = focus;
  const fit = () => {
    if (!isMoved.current) {
      const id = focused.current;
      void flow.current?.fitView({ ...ZOOM, nodes: id === null ? undefined : [{ id }] });
    }
  };
  React.useEffect(() => {
    isMoved.current = false;
    const observer = new ResizeObserver(() => requestAnimationFrame(fit));
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, [shape]);
  React.useEffect(() => fit(), [focus]);
  const onInit = (made: Flow) => {
    flow.current = made;
    fit();
  };
  const onMove = (event: unknown) => {
    isMoved.current ||= event !== null; // by a person
  };
  return { canvas, onInit, onMove };
}

function drawnEdge({ from, id, isProposed, to }: IStepEdge): Edge {
  return {
    id,
    source: from,
    target: to,
    type: 'smoothstep',
    className: isProposed ? 'jp-mod-proposed' : undefined,
    markerEnd: { type: MarkerType.ArrowClosed, color: 'currentColor' },
    focusable: false
  };
}

function Drawn({ data: { node }, selected }: NodeProps<DrawnNode>): React.ReactElement {
  const { trans } = usePlans();
  const { step } = node;
  const title = visible(node.title);
  return (
    <div
      className="jp-Cabinet-plan-node"
      data-state={step?.state ?? 'proposed'}
      data-current={selected}
      title={title}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {step ? <PlanMark icon={stepLabel(step.state, trans).icon} /> : <Icon icon={addIcon} />}
      <span className="jp-Cabinet-plan-node-words">
        <strong>{title}</strong>
        <span>{step ? stepStateText(step, trans) : trans.__('Proposed')}</span>
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
