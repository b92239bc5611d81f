import { nullTranslator } from '@jupyterlab/translation';

import { runnersOf } from './runners';

const trans = nullTranslator.load('');
const nothing = { works: false, reason: '', remedy: '' };

function offered(configured: boolean, image: string, chosen = ''): string[] {
  const cluster = { ...nothing, configured, runner: 'docker' as const };
  return runnersOf({ cluster, containers: { ...nothing, image } }, chosen, trans).offered.map(
    ([name]) => name
  );
}

describe('runnersOf', () => {
  it('offers what the server has, and what was chosen before', () => {
    expect(offered(false, '')).toEqual(['local']);
    expect(offered(true, 'agents')).toEqual(['local', 'dask', 'docker']);
    expect(offered(false, '', 'dask')).toEqual(['local', 'dask']);
  });

  it('offers no cluster for an agent in a terminal', () => {
    const cluster = { ...nothing, configured: true, runner: 'dask' as const };
    const health = { cluster, containers: { ...nothing, image: 'agents' } };
    const { offered: names, usual } = runnersOf(health, '', trans, true);
    expect(names.map(([name]) => name)).toEqual(['local', 'docker']);
    expect(usual).toBe('This server');
  });

  it('names where runs start that do not choose', () => {
    const cluster = { ...nothing, configured: false, runner: 'docker' as const };
    const health = { cluster, containers: { ...nothing, image: 'agents' } };
    expect(runnersOf(health, '', trans).usual).toBe('Container');
    expect(runnersOf(null, '', trans).usual).toBe('This server');
  });
});
