/**
 * The dialog with all that a run’s CLI wrote. Loaded lazily.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { withoutSequences } from '../../shared/untrusted';
import { RawOutput } from '../stores/rawOutput';
import type { RunStore } from '../stores/runs';

import '../../../style/shared.css';

/** In pixels: who is that near to the end follows it. */
const NEAR_THE_END = 8;

/** Resolves when the dialog is closed. A refusal is shown in it. The output of a run that works grows in it. */
export async function showOutput(
  runs: RunStore,
  runId: string,
  trans: TranslationBundle
): Promise<void> {
  const { renderUntrusted } = await import('../../shared/views/renderUntrusted');
  const body = document.createElement('pre');
  body.className = 'jp-Cabinet-output';
  body.tabIndex = 0;
  const output = new RawOutput(runs, runId);
  let shown: string | null = null;
  const draw = () => {
    const text =
      withoutSequences(output.text).trim() ||
      (output.isGrowing
        ? trans.__('The run has not written any output yet.')
        : trans.__('The run wrote no output.'));
    if (text !== shown) {
      const isAtEnd = body.scrollHeight - body.scrollTop - body.clientHeight < NEAR_THE_END;
      void renderUntrusted(body, text);
      if (shown !== null && isAtEnd) {
        body.scrollTop = body.scrollHeight;
      }
      shown = text;
    }
  };
  await output.follow();
  draw();
  output.changed.connect(draw);
  const widget = new Widget({ node: body });
  const closed = showDialog({
    title: trans.__('Output'),
    body: widget,
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
  if (output.isGrowing) {
    requestAnimationFrame(() => (body.scrollTop = body.scrollHeight)); // when it is in the page
  }
  await closed;
  output.dispose();
}
