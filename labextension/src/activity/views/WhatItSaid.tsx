/**
 * What a run has said: while it works as it comes, where nothing else shows it, and its answer afterwards.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { isFinal, shownAnswer } from '../../runs';
import { Answer, EventsPane } from '../../runs/views';
import { Button } from '../../shared/views/components';
import { useActivity } from './services';

/** Whether it is shown somewhere else: with its document, or on the page of its agent. */
export function hasPlace({ agent, path }: Run): boolean {
  return agent !== null || path !== null;
}

export function WhatItSaid({ run }: { run: Run }): React.ReactElement | null {
  const { outputs, activity, rendermime, showOutput, trans } = useActivity();
  const text = shownAnswer(run.result?.text ?? '', trans).trim();
  const isCut = run.result?.cut ?? false;
  React.useEffect(() => {
    if (isCut) {
      void activity.readWhole(run.id);
    }
  }, [isCut, activity, run.id]);
  if (!isFinal(run)) {
    return hasPlace(run) ? null : (
      <div className="jp-Cabinet-activity-live">
        <EventsPane run={run} outputs={outputs} rendermime={rendermime} />
      </div>
    );
  }
  return (
    <>
      {text && (
        <>
          <h3>{trans.__('Answer')}</h3>
          <div className="jp-Cabinet-activity-answer">
            <Answer text={text} rendermime={rendermime} />
          </div>
          {isCut && <p className="jp-Cabinet-quiet">{trans.__('Only the beginning is shown.')}</p>}
        </>
      )}
      {!hasPlace(run) && (
        <Button link label={trans.__('Output')} onClick={() => void showOutput(run.id)} />
      )}
    </>
  );
}
