/**
 * What the section of agent runtimes is given. Loaded when it is first shown.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Commands } from '../shared/commands';
import { RuntimesSection, type IRuntimeServices } from './views/RuntimesSection';
import { RuntimeTestStore } from './stores/runtimeTests';
import type { ICabinet } from '../shared/tokens';

export function makeSection(
  app: JupyterFrontEnd,
  cabinet: ICabinet,
  trans: TranslationBundle
): React.ComponentType {
  const services = makeServices(app, cabinet, trans);
  return function Section() {
    return <RuntimesSection services={services} />;
  };
}

function makeServices(
  app: JupyterFrontEnd,
  cabinet: ICabinet,
  trans: TranslationBundle
): IRuntimeServices {
  const { client, runs, runtimes } = cabinet;
  const readAgain = () => void runtimes.load().catch(() => undefined);
  const openRun = async (runId: string) => {
    try {
      const run = await client.run(runId);
      if (run.kind === 'editor') {
        const args = { session: run.session_id, path: run.path ?? '' };
        await app.commands.execute(Commands.showRun, args);
      } else {
        await (await import('../runs/views/outputDialog')).showOutput(cabinet, runId, trans);
      }
    } catch (reason) {
      Notification.error(reason instanceof Error ? reason.message : String(reason), {
        autoClose: 8000
      });
    }
  };
  return { cabinet, tests: new RuntimeTestStore(client, runs, readAgain), trans, openRun };
}
