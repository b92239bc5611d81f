/**
 * Whether the next run works in a sandbox, and whether a person can choose that. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Health, RuntimeRow } from '../../api/types';
import { visible } from '../../shared/untrusted';

type SandboxHealth = Health['sandbox'];

/** `reason`: why it cannot be chosen; null where it can be. */
export interface IIsolation {
  isIsolated: boolean;
  reason: ((trans: TranslationBundle) => string) | null;
}

/** Of a run in a container. */
export const IN_CONTAINER: IIsolation = {
  isIsolated: true,
  reason: trans => trans.__('In a container, the run is isolated.')
};

/** `sandbox`: null until it is known. `chosen`: what the person chose last. */
export function isolationOf(
  sandbox: SandboxHealth | null,
  row: RuntimeRow | undefined,
  chosen: boolean
): IIsolation {
  if (sandbox === null || row === undefined) {
    return { isIsolated: false, reason: trans => trans.__('The runtime is not known yet.') };
  }
  if (sandbox.setting === 'always') {
    return { isIsolated: true, reason: trans => trans.__('Every run is isolated on this server.') };
  }
  if (sandbox.setting === 'never') {
    return { isIsolated: false, reason: trans => trans.__('No run is isolated on this server.') };
  }
  if (!sandbox.works) {
    const why = visible(`${sandbox.reason} ${sandbox.remedy}`.trim());
    return { isIsolated: false, reason: () => why };
  }
  if (!row.isolable) {
    const title = visible(row.title);
    return { isIsolated: false, reason: trans => trans.__('%1 cannot be isolated.', title) };
  }
  return { isIsolated: chosen, reason: null };
}

/** "Isolated" or "Not isolated". */
export function isolationLabel(isIsolated: boolean, trans: TranslationBundle): string {
  return isIsolated ? trans.__('Isolated') : trans.__('Not isolated');
}

/** What that means, in two sentences. */
export function isolationMeaning(isIsolated: boolean, trans: TranslationBundle): string {
  return isIsolated
    ? trans.__(
        'The run can change files in its folder and connect to its model service. Almost everything else on this machine is out of its reach.'
      )
    : trans.__('The run has the permissions of the server’s user. Click to isolate the next runs.');
}
