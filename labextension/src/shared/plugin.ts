/**
 * Makes this page's stores, once, and connects them to the server. Shows nothing.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CabinetClient } from '../api/client';
import { EventStream } from '../api/events';
import { ChoiceStore } from '../runtimes/stores/choices';
import { ConnectionStore } from './connection';
import { DraftStore } from '../editor/stores/drafts';
import { EditorStore } from '../editor/stores/editor';
import { DocumentFollower } from '../documents/stores/follower';
import { HistoryStore } from '../editor/stores/history';
import { TerminalAppearance } from '../terminal/stores/appearance';
import type { OutputPool } from '../runs/stores/outputPool';
import { RunStore } from '../runs/stores/runs';
import { RuntimeStore } from '../runtimes/stores/runtimes';
import { Announcer } from './announcer';
import { ICabinet } from './tokens';
import { OpenDocuments } from '../documents/openDocuments';

export const corePlugin: JupyterFrontEndPlugin<ICabinet> = {
  id: 'jupyter-cabinet:core',
  description: 'The state of Jupyter Cabinet in this page, kept up by the server’s events.',
  autoStart: true,
  provides: ICabinet,
  requires: [IDocumentManager],
  optional: [IStateDB, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    documentManager: IDocumentManager,
    stateDB: IStateDB | null,
    translator: ITranslator | null
  ): ICabinet => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const client = new CabinetClient(app.serviceManager.serverSettings);
    const events = new EventStream(client);
    const connection = new ConnectionStore(client, events.channel);
    const runs = new RunStore(client, events);
    const runtimes = new RuntimeStore(client);
    const choices = new ChoiceStore(runtimes, stateDB);
    const history = new HistoryStore(client);
    let pool: Promise<OutputPool> | null = null;
    const outputs = () =>
      (pool ??= import('../runs/stores/outputPool').then(
        ({ OutputPool }) => new OutputPool(client)
      ));
    const follower = new DocumentFollower({
      contents: app.serviceManager.contents,
      documents: new OpenDocuments(app, documentManager, trans),
      runs,
      outputs
    });
    const drafts = new DraftStore();
    const documents = follower;
    const username = () => connection.health?.you.username ?? null;
    const editor = new EditorStore({
      client,
      runs,
      history,
      choices,
      drafts,
      documents,
      username
    });
    const cabinet: ICabinet = {
      client,
      events,
      connection,
      runs,
      runtimes,
      choices,
      drafts,
      history,
      outputs,
      editor,
      follower,
      appearance: new TerminalAppearance(),
      announcer: new Announcer()
    };
    keepLoaded(cabinet, events);
    void app.restored.then(() => events.open());
    return cabinet;
  }
};

/** After each connection and each reset: what may have been missed is read again. */
function keepLoaded(cabinet: ICabinet, events: EventStream): void {
  const { choices, connection, editor, follower, runs, runtimes } = cabinet;
  let username: string | null = null;
  const load = () =>
    Promise.allSettled([runs.load(), runtimes.load(), editor.reload(), follower.check()]);
  events.channel.statusChanged.connect((_, status) => {
    if (status === 'open') {
      void load();
    }
  });
  events.reset.connect(() => void load());
  connection.changed.connect(() => {
    const now = connection.health?.you.username ?? null;
    if (now !== null && now !== username) {
      username = now;
      choices.allowBypass(connection.health!.allow_bypass);
      void choices.load(now);
    }
  });
}
