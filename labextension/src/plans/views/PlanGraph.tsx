/**
 * The steps of a plan, drawn. The list beside it says the same. Loaded when it is first shown.
 */
import {
  ControlButton,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  MiniMap,
  type Node,
  type NodeHandle,
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
import {
  firstToShow,
  firstView,
  freeCorners,
  type IPoint,
  isInSight,
  type IStepEdge,
  type IStepNode,
  NODE,
  placed,
  stepGraph
} from '../stores/graph';
import { stepLabel, stepStateText } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { PlanMark } from './parts';
import { usePlans } from './services';

import '@xyflow/react/dist/base.css';
import '../../../style/graph.css';

type DrawnNode = Node<{ node: IStepNode }, 'step'>;

const NODE_TYPES = { step: Drawn };

/** Pixels on each side, as in the library's stylesheet. */
const HANDLE = 5;
/** Where edges end: in the middle of the left and of the right side. */
const HANDLES: NodeHandle[] = (['target', 'source'] as const).map(type => ({
  type,
  position: type === 'target' ? Position.Left : Position.Right,
  x: (type === 'target' ? 0 : NODE.width) - HANDLE / 2,
  y: (NODE.height - HANDLE) / 2,
  width: HANDLE,
  height: HANDLE
}));

export function PlanGraph(props: { plan: PlanView; store: PlanStore }): React.ReactElement {
  const { plan, store } = props;
  const { trans } = usePlans();
  const graphId = React.useId(); // otherwise the arrows vanish while another graph is hidden
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
      // Without these, all nodes are drawn to be measured, also those out of sight, and edges vanish meanwhile.
      measured: NODE,
      handles: HANDLES
    };
  });
  const focus = firstToShow(steps, store.step)?.id ?? null;
  const { canvas, corners, onInit, onMove, showFirst } = useFirstView(shape, places, focus);
  return (
    <div ref={canvas} className="jp-Cabinet-graph">
      <ReactFlow
        id={graphId}
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
        attributionPosition={corners.controls === 'bottom-right' ? 'bottom-left' : 'bottom-right'}
        aria-label={trans.__('Graph of the steps')}
        onNodesChange={made => {
          const chosen = made.find(each => each.type === 'select' && each.selected);
          if (chosen?.type === 'select' && steps.some(({ id }) => id === chosen.id)) {
            store.open(chosen.id);
          }
        }}
      >
        <Controls
          orientation="horizontal"
          position={corners.controls}
          showInteractive={false}
          showFitView={false}
        >
          <ControlButton
            title={trans.__('Reset the view')}
            aria-label={trans.__('Reset the view')}
            onClick={showFirst}
          >
            <Corners />
          </ControlButton>
        </Controls>
        {corners.map !== null && (
          <MiniMap
            pannable
            position={corners.map}
            ariaLabel={trans.__('Map of the steps')}
            nodeBorderRadius={2}
            nodeColor="var(--jp-border-color0)"
            bgColor="var(--jp-layout-color1)"
            maskColor="color-mix(in srgb, var(--jp-layout-color3) 40%, transparent)"
          />
        )}
      </ReactFlow>
    </div>
  );
}

type Flow = ReactFlowInstance<DrawnNode>;

/**
 * Begins with all steps, or with the part around one of them (`focus`) if the text of all would be too small. Shows that
 * again when a step is new or the canvas has another size, unless a person has moved it; and follows the step out of sight.
 * Returns where the buttons and, if not all is in sight, the map cover nothing then.
 */
function useFirstView(shape: string, places: ReadonlyMap<string, IPoint>, focus: string | null) {
  const canvas = React.useRef<HTMLDivElement>(null);
  const flow = React.useRef<Flow | null>(null);
  const isMoved = React.useRef(false);
  const now = React.useRef({ focus, places });
  now.current = { focus, places };
  const [corners, setCorners] = React.useState<ReturnType<typeof freeCorners>>({
    controls: 'bottom-left',
    map: null
  });
  const show = () => {
    if (canvas.current === null) {
      return; // the library and the browser call back a little later, when the graph may be gone
    }
    const { clientHeight: height, clientWidth: width } = canvas.current;
    if (!isMoved.current && height > 0 && width > 0) {
      const { places } = now.current;
      const { isWhole, view } = firstView(places, { height, width }, now.current.focus);
      const { controls, map } = freeCorners(places, { height, width }, view);
      void flow.current?.setViewport(view);
      setCorners({ controls, map: isWhole ? null : map });
    }
  };
  React.useEffect(() => {
    isMoved.current = false;
    const observer = new ResizeObserver(() => requestAnimationFrame(show));
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, [shape]);
  React.useEffect(() => {
    const place = focus === null ? undefined : places.get(focus);
    const { clientHeight: height, clientWidth: width } = canvas.current!;
    if (place && flow.current && !isInSight(place, { height, width }, flow.current.getViewport())) {
      show();
    }
  }, [focus]);
  const onInit = (made: Flow) => {
    flow.current = made;
    show();
  };
  const onMove = (event: unknown) => {
    isMoved.current ||= event !== null; // by a person
  };
  const showFirst = () => {
    isMoved.current = false;
    show();
  };
  return { canvas, corners, onInit, onMove, showFirst };
}

/** Of a frame, as the library has it on its own button. */
function Corners(): React.ReactElement {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2 6V2h4v1.5H3.5V6zm8-4h4v4h-1.5V3.5H10zM2 10h1.5v2.5H6V14H2zm10.5 0H14v4h-4v-1.5h2.5z" />
    </svg>
  );
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
      {step ? <PlanMark icon={stepLabel(step, trans).icon} /> : <Icon icon={addIcon} />}
      <span className="jp-Cabinet-plan-node-words">
        <strong>{title}</strong>
        <span>{step ? stepStateText(step, trans) : trans.__('Proposed')}</span>
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
