/**
 * What a run does now, in one short phrase, kept up while it is shown.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Run } from '../../api/types';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { currentStep } from '../stores/currentStep';
import type { OutputStore } from '../stores/output';
import type { RunStore } from '../stores/runs';

/** Nothing while the run waits, before it has begun and after its end. */
export function CurrentStep(props: {
  run: Run | undefined | null;
  runs: RunStore;
  trans: TranslationBundle;
}): React.ReactElement | null {
  const { run, runs, trans } = props;
  const id = run?.state === 'running' ? run.id : null;
  const [output, setOutput] = React.useState<OutputStore | null>(null);
  React.useEffect(() => {
    let isShown = true;
    setOutput(null);
    if (id !== null) {
      void runs.outputs().then(pool => isShown && setOutput(pool.get(id)));
    }
    return () => {
      isShown = false;
    };
  }, [id, runs]);
  return output && <Step output={output} trans={trans} />;
}

function Step(props: { output: OutputStore; trans: TranslationBundle }): React.ReactElement | null {
  const { output, trans } = props;
  useChanges(output.changed);
  const words = currentStep(output.folded.rows, trans);
  return words ? (
    <Untrusted className="jp-Cabinet-quiet jp-Cabinet-agent-step" text={words} />
  ) : null;
}
