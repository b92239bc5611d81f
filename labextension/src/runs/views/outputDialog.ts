/**
 * The dialog with all that a run’s CLI wrote. Loaded lazily.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { withoutSequences } from '../../shared/untrusted';
import type { RunStore } from '../stores/runs';

import '../../../style/shared.css';

/** Resolves when the dialog is closed. A refusal is shown in it. */
export async function showOutput(
  runs: RunStore,
  runId: string,
  trans: TranslationBundle
): Promise<void> {
  const { renderUntrusted } = await import('../../shared/views/renderUntrusted');
  const body = document.createElement('pre');
  body.className = 'jp-Cabinet-output';
  body.tabIndex = 0;
  const text = await runs.readRaw(runId).catch(reason => String(reason));
  void renderUntrusted(body, withoutSequences(text).trim() || trans.__('The run wrote no output.'));
  await showDialog({
    title: trans.__('Output'),
    body: new Widget({ node: body }),
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
}
