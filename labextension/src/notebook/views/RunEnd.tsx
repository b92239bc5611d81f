/**
 * The outcome of a run: the files it has changed, and if it failed, why and what to do.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { changedFiles } from '../../runs';
import { FailedCard } from '../../runs/views';
import { JUPYTER_TERMINAL } from '../../shared/commands';
import { Untrusted } from '../../shared/views/Untrusted';
import { useCells } from './services';
import { useFolded } from './useRun';

const BADLY: ReadonlySet<Run['state']> = new Set(['failed', 'timed_out', 'interrupted']);
const WITH_REASON: ReadonlySet<Run['state']> = new Set(['cancelled', 'skipped']);

export function RunEnd({ run, inert }: { run: Run; inert: boolean }): React.ReactElement {
  const { has, run: execute, runtimes } = useCells();
  return (
    <>
      <Changed run={run} />
      {BADLY.has(run.state) && (
        <FailedCard
          run={run}
          loginHint={runtimes.items?.find(row => row.name === run.runtime)?.login_hint}
          onLogIn={has(JUPYTER_TERMINAL) ? () => execute(JUPYTER_TERMINAL) : null}
          inert={inert}
        />
      )}
      {WITH_REASON.has(run.state) && run.reason && (
        <Untrusted block className="jp-Cabinet-quiet" text={run.reason} />
      )}
    </>
  );
}

/** As far as its calls name them. */
function Changed({ run }: { run: Run }): React.ReactElement | null {
  const { trans } = useCells();
  const folded = useFolded(run);
  const files = React.useMemo(() => changedFiles(folded?.rows ?? []), [folded]);
  return files.length ? (
    <div className="jp-Cabinet-run-changed">
      <strong>{trans._n('%1 file changed', '%1 files changed', files.length)}</strong>{' '}
      <Untrusted className="jp-Cabinet-code" text={files.join(', ')} />
    </div>
  ) : null;
}
