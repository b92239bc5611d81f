/**
 * Choices that cannot be had here and now, what is taken in their place, and why. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { PermissionMode } from '../../api/types';
import type { IChosen } from './choices';
import { permissionModes, type RuntimeStore } from './runtimes';
import { visible } from '../../shared/untrusted';
import { permissionLabel } from './labels';

/** What serves, of what a person chose once. */
export interface ITaken {
  runtime: string | null;
  permissionMode: PermissionMode | null;
}

/** Sentences, in the order of the pickers. */
export function fallbackNotes(
  chosen: IChosen,
  taken: ITaken,
  runtimes: Pick<RuntimeStore, 'get' | 'items'>,
  trans: TranslationBundle
): string[] {
  const row = runtimes.get(taken.runtime);
  if (!row) {
    return [];
  }
  const told: string[] = [];
  if (chosen.runtime !== null && !runtimes.get(chosen.runtime)) {
    const lost = runtimes.items?.find(({ name }) => name === chosen.runtime);
    const names = [lost?.title ?? chosen.runtime, row.title].map(visible);
    told.push(trans.__('%1 was not found here. %2 is used.', ...names));
  }
  const [wanted, mode] = [chosen.permissionMode, taken.permissionMode];
  if (wanted !== null && mode !== null && mode !== wanted) {
    const words = [wanted, mode].map(each => permissionLabel(each, trans));
    const who = visible(row.version ? `${row.title} ${row.version}` : row.title);
    told.push(
      permissionModes(row).includes(wanted)
        ? trans.__('“%1” is not allowed on this server. “%2” is used instead.', ...words)
        : trans.__('%1 does not offer “%2”. “%3” is used.', who, ...words)
    );
  }
  return told;
}
