/**
 * Where runs can start on this server, in words.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Health, RunnerName } from '../../api/types';

/**
 * What a person can choose; also what they have chosen, if the server does not have it any more. `inTerminal`: for an
 * agent in a terminal, which cannot work on a cluster.
 */
export function runnersOf(
  health: Pick<Health, 'cluster' | 'containers'> | null | undefined,
  chosen: string,
  trans: TranslationBundle,
  inTerminal = false
): { usual: string; offered: [RunnerName, string][] } {
  const titles: Record<RunnerName, string> = {
    local: trans.__('This server'),
    dask: trans.__('Dask cluster'),
    docker: trans.__('Container')
  };
  const isThere = {
    local: true,
    dask: !inTerminal && health?.cluster.configured,
    docker: health?.containers.image
  };
  const usual = health?.cluster.runner ?? 'local';
  const names = Object.keys(titles) as RunnerName[];
  return {
    usual: titles[inTerminal && usual === 'dask' ? 'local' : usual],
    offered: names
      .filter(name => isThere[name] || name === chosen)
      .map(name => [name, titles[name]])
  };
}
