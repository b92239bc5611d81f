/**
 * @jest-environment node
 */
import { aPlan, aStep } from '../../testing/samples';
import type { PlanProposal } from '../../api/types';
import {
  firstToShow,
  firstView,
  freeCorners,
  isInSight,
  NODE,
  placed,
  READABLE,
  stepGraph
} from './graph';

const proposal = (mutations: object[]): PlanProposal =>
  ({ id: 'p', step_id: 'a', state: 'open', mutations }) as unknown as PlanProposal;

describe('the graph of a plan', () => {
  it('has a node for each step, and an edge for each dependency', () => {
    const steps = [aStep('a'), aStep('b', { depends_on: ['a', 'gone'] })];
    const { edges, nodes } = stepGraph(aPlan(steps));
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(edges).toEqual([{ id: 'a b', from: 'a', to: 'b', isProposed: false }]);
  });

  it('shows what an open proposal would add, two inserts as a chain', () => {
    const steps = [
      aStep('z'),
      aStep('a', { depends_on: ['z'] }),
      aStep('b', { depends_on: ['a'] })
    ];
    const insert = { kind: 'INSERT_BETWEEN', title: 'Check' };
    const beside = { kind: 'ADD_SIBLING', title: 'Beside' };
    const open = proposal([insert, insert, beside]);
    const { edges, nodes } = stepGraph(aPlan(steps, { proposals: [open] }));
    expect(nodes.filter(({ step }) => step === null).map(({ title }) => title)).toEqual([
      'Check',
      'Check',
      'Beside'
    ]);
    expect(edges.filter(({ isProposed }) => isProposed).map(({ id }) => id)).toEqual([
      'a p/0',
      'p/0 b',
      'p/0 p/1',
      'p/1 b',
      'z p/2',
      'p/2 b'
    ]);
    const decided = aPlan(steps, { proposals: [{ ...open, state: 'applied' }] });
    expect(stepGraph(decided).nodes).toHaveLength(3);
  });

  it('puts each step right of all that it depends on, and none over another', () => {
    const steps = [
      aStep('a'),
      aStep('b', { depends_on: ['a'] }),
      aStep('c', { depends_on: ['a', 'b'] }),
      aStep('d', { depends_on: ['a'] }),
      aStep('alone')
    ];
    const graph = stepGraph(aPlan(steps));
    const places = placed(graph);
    graph.edges.forEach(({ from, to }) =>
      expect(places.get(from)!.x).toBeLessThan(places.get(to)!.x)
    );
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(steps.length);
    expect(places.get('alone')!.y).toBeGreaterThan(places.get('c')!.y);
  });

  const chain = (count: number) =>
    placed(
      stepGraph(
        aPlan(
          Array.from({ length: count }, (_, at) =>
            aStep(`s${at}`, { depends_on: at ? [`s${at - 1}`] : [] })
          )
        )
      )
    );
  const canvas = { width: 500, height: 200 };

  it('is shown as a whole in the middle if it can be read then', () => {
    const { isWhole, view } = firstView(chain(2), canvas, 's0');
    const width = 2 * NODE.width + 48;
    expect([isWhole, view.zoom, view.x]).toEqual([true, 1, (canvas.width - width) / 2]);
    const smaller = firstView(chain(2), { width: 24 + width * 0.95, height: 200 }, 's0');
    expect([smaller.isWhole, smaller.view.zoom.toFixed(2)]).toEqual([true, '0.95']);
  });

  it('is else shown readable, around a step and without empty space beside it', () => {
    const places = chain(8);
    for (const id of places.keys()) {
      const { isWhole, view } = firstView(places, canvas, id);
      expect([isWhole, view.zoom]).toEqual([false, READABLE]);
      expect(isInSight(places.get(id)!, canvas, view)).toBe(true);
    }
    expect(firstView(places, canvas, 's0').view.x).toBe(12);
    const end = places.get('s7')!.x + NODE.width;
    const { view } = firstView(places, canvas, 's7');
    expect(view.x + end * view.zoom).toBeCloseTo(canvas.width - 12);
    expect(isInSight(places.get('s0')!, canvas, view)).toBe(false);
    expect(firstView(places, canvas, 'gone').view).toEqual(firstView(places, canvas, 's0').view);
  });

  it('has its buttons and its map in corners where they cover no step', () => {
    const at = (...points: [number, number][]) =>
      new Map(points.map(([x, y], index) => [`s${index}`, { x, y }]));
    const corners = (...points: [number, number][]) =>
      freeCorners(at(...points), canvas, { x: 0, y: 0, zoom: 1 });
    const right = canvas.width - NODE.width;
    const bottom = canvas.height - NODE.height;
    expect(corners()).toEqual({ controls: 'bottom-left', map: 'top-right' });
    expect(corners([0, bottom])).toEqual({ controls: 'bottom-right', map: 'top-right' });
    expect(corners([0, bottom], [right, 10])).toEqual({
      controls: 'bottom-right',
      map: 'top-left'
    });
    expect(corners([0, bottom], [right, bottom])).toEqual({
      controls: 'top-left',
      map: 'top-right'
    });
    expect(corners([0, 0], [right, 0])).toEqual({ controls: 'bottom-left', map: null });
    expect(corners([0, 0], [right, 0], [0, bottom], [right, bottom])).toEqual({
      controls: 'bottom-left',
      map: null
    });
  });

  it('begins at the step that is shown, that works, or that is the first unfinished one', () => {
    const [done, skipped] = [aStep('a', { state: 'done' }), aStep('b', { state: 'skipped' })];
    const [next, working] = [aStep('c'), aStep('d', { state: 'running' })];
    expect(firstToShow([done, skipped, next, working], done)).toBe(done);
    expect(firstToShow([done, skipped, next, working], null)).toBe(working);
    expect(firstToShow([done, skipped, next], null)).toBe(next);
    expect([firstToShow([done, skipped], null), firstToShow([], null)]).toEqual([done, null]);
  });

  it('places 500 steps, each somewhere else', () => {
    const steps = Array.from({ length: 500 }, (_, at) =>
      aStep(`s${at}`, {
        depends_on: [1, 7, 20].filter(far => at >= far).map(far => `s${at - far}`)
      })
    );
    const places = placed(stepGraph(aPlan(steps)));
    expect(places.size).toBe(500);
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(500);
  });
});
