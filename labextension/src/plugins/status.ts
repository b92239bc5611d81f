/**
 * "2 running" in the status bar, and the application's region for what must be heard at once.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { Run } from '../api/types';
import { Commands } from '../commands';
import { agentIcon } from '../icons/start';
import { ICabinet } from '../tokens';

export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:status',
  description: 'Shows how many runs work, and speaks what must be heard at once.',
  autoStart: true,
  requires: [ICabinet],
  optional: [ITranslator, IStatusBar],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    translator: ITranslator | null,
    statusBar: IStatusBar | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const { runs, editor, speech } = cabinet;

    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'jp-Cabinet-status';
    const label = document.createElement('span');
    button.append(agentIcon.element({ tag: 'span', width: '16px', height: '16px' }), label);
    const update = () => {
      label.textContent = trans._n('%1 running', '%1 running', runs.working.length);
    };
    button.onclick = () => {
      const run = runs.working.find(found => found.kind === 'editor');
      const args = run ? { session: run.session_id, path: run.path ?? '' } : undefined;
      void app.commands.execute(run ? Commands.showRun : Commands.openEditor, args);
    };
    runs.changed.connect(update);
    update();
    const item = new Widget({ node: document.createElement('div') });
    item.node.append(button);
    statusBar?.registerStatusItem('jupyter-cabinet:status', {
      item,
      align: 'right',
      rank: 20,
      isActive: () => runs.working.length > 0,
      activeStateChanged: runs.changed
    });

    const known = new Map<string, Run>();
    runs.updated.connect((_, run) => {
      if (editor.detail?.session.id === run.session_id) {
        const before = known.get(run.id);
        void import('../state/utterances').then(({ runUtterance }) =>
          speech.say(runUtterance(before, run, trans))
        );
      }
      known.set(run.id, run);
    });
    const region = document.createElement('div');
    region.className = 'jp-Cabinet-spoken';
    region.setAttribute('role', 'alert');
    document.body.append(region);
    speech.said.connect((_, { text, urgent }) => {
      if (urgent) {
        region.textContent = text;
      }
    });
  }
};
