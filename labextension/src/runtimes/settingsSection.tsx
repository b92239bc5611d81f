/**
 * What the section of agent runtimes is given. Loaded when it is first shown.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { RuntimesSection } from './views/RuntimesSection';
import type { IRuntimeServices } from './views/services';
import { RuntimeTestStore } from './stores/runtimeTests';
import type { ICabinetServer } from '../shared/tokens';
import type { RunStore } from '../runs';
import type { RuntimeStore } from './stores/runtimes';

type Made = readonly [ICabinetServer, RuntimeStore, RunStore];

/** Its test prompts live as long as the page. */
export function makeSection(
  app: JupyterFrontEnd,
  made: Made,
  trans: TranslationBundle
): React.ComponentType {
  const services = makeServices(app, made, trans);
  return function Section() {
    return <RuntimesSection services={services} />;
  };
}

function makeServices(
  app: JupyterFrontEnd,
  [{ client, connection }, runtimes, runs]: Made,
  trans: TranslationBundle
): IRuntimeServices {
  const readAgain = () => void runtimes.load().catch(() => undefined);
  const openRun = async (runId: string) => {
    const views = await import(/* webpackChunkName: "run-output" */ '../runs/views');
    await views.openRun(runId, { commands: app.commands, runs, trans });
  };
  return {
    connection,
    runtimes,
    tests: new RuntimeTestStore(client, runs, readAgain),
    trans,
    openRun
  };
}
