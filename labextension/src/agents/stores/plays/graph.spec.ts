import { after, aPlay } from '../../../testing/samples';
import { followersOf, playGraph } from './graph';

describe('the graph of plays', () => {
  const plays = [
    aPlay('collect', { schedule: 'Daily at 08:00' }),
    aPlay('digest', { triggers: [after('collect'), after('collect', 'failed')] }),
    aPlay('report', { triggers: [{ type: 'file_changed', path: 'a/*.md' }, after('digest')] }),
    aPlay('check', { triggers: [{ type: 'file_changed', path: 'a/*.md' }] }),
    aPlay('late', { triggers: [after('gone')] }),
    aPlay('ask', { triggers: [{ type: 'manual' }] })
  ];

  it('has a node for each connected play, and one for each cause that starts several plays', () => {
    const { alone, edges, nodes } = playGraph(plays);
    expect(nodes.map(({ id }) => id).sort()).toEqual([
      'file/a/*.md',
      'play/check',
      'play/collect',
      'play/digest',
      'play/gone',
      'play/late',
      'play/report',
      'schedule/Daily at 08:00'
    ]);
    expect(nodes.find(({ id }) => id === 'play/gone')).toMatchObject({ kind: 'missing' });
    expect(alone.map(({ slug }) => slug)).toEqual(['ask']);
    expect(edges.map(({ ending, from, to }) => `${from} ${to} ${ending}`)).toEqual([
      'schedule/Daily at 08:00 play/collect null',
      'play/collect play/digest succeeded',
      'play/collect play/digest failed',
      'file/a/*.md play/report null',
      'play/digest play/report succeeded',
      'file/a/*.md play/check null',
      'play/gone play/late succeeded'
    ]);
    expect(edges.some(({ isCircular }) => isCircular)).toBe(false);
  });

  it('marks only the edges of a cycle as circular', () => {
    const { edges } = playGraph([
      aPlay('a', { triggers: [after('c')] }),
      aPlay('b', { triggers: [after('a')] }),
      aPlay('c', { triggers: [after('b')] }),
      aPlay('self', { triggers: [after('self', 'failed')] }),
      aPlay('end', { triggers: [after('c')] })
    ]);
    const marked = edges.filter(({ isCircular }) => isCircular).map(({ to }) => to);
    expect(marked.sort()).toEqual(['play/a', 'play/b', 'play/c', 'play/self']);
  });

  it('can be built for a thousand plays and for none', () => {
    const chain = Array.from({ length: 1000 }, (_, index) =>
      aPlay(`p${index}`, { triggers: index ? [after(`p${index - 1}`)] : [] })
    );
    expect(playGraph(chain).edges).toHaveLength(999);
    expect(playGraph([])).toEqual({ nodes: [], edges: [], alone: [] });
  });

  it('lists the plays that a play starts', () => {
    expect(followersOf('collect', plays).map(({ ending, play }) => [play.slug, ending])).toEqual([
      ['digest', 'succeeded'],
      ['digest', 'failed']
    ]);
  });
});
