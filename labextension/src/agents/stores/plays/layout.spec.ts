/**
 * @jest-environment node
 */
import { after, aPlay } from '../../../testing/samples';
import { playGraph } from './graph';
import { placed } from './layout';

describe('the places of plays', () => {
  it('put what starts left of what is started, and no node over another', () => {
    const graph = playGraph([
      aPlay('collect', { schedule: 'Daily at 08:00' }),
      aPlay('digest', { triggers: [after('collect'), after('collect', 'failed')] }),
      aPlay('report', { triggers: [{ type: 'file_changed', path: 'a/*.md' }, after('digest')] }),
      aPlay('late', { triggers: [after('gone')] })
    ]);
    const places = placed(graph);
    graph.edges.forEach(({ from, to }) =>
      expect(places.get(from)!.x).toBeLessThan(places.get(to)!.x)
    );
    const corners = [...places.values()].map(({ x, y }) => `${x} ${y}`);
    expect(new Set(corners).size).toBe(graph.nodes.length);
  });

  it('are found also where plays start each other in a circle', () => {
    const plays = [aPlay('a', { triggers: [after('b')] }), aPlay('b', { triggers: [after('a')] })];
    expect(placed(playGraph(plays)).size).toBe(2);
  });
});
