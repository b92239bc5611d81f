/**
 * Where runs can start on this server, in words.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Health, RunnerName } from '../../api/types';

/** What a person can choose; also what they have chosen, if the server does not have it any more. */
export function runnersOf(
  health: Pick<Health, 'cluster' | 'containers'> | null | undefined,
  chosen: string,
  trans: TranslationBundle
): { usual: string; offered: [RunnerName, string][] } {
  const titles: Record<RunnerName, string> = {
    local: trans.__('This server'),
    dask: trans.__('Dask cluster'),
    docker: trans.__('Container')
  };
  const isThere = {
    local: true,
    dask: health?.cluster.configured,
    docker: health?.containers.image
  };
  const names = Object.keys(titles) as RunnerName[];
  return {
    usual: titles[health?.cluster.runner ?? 'local'],
    offered: names
      .filter(name => isThere[name] || name === chosen)
      .map(name => [name, titles[name]])
  };
}
