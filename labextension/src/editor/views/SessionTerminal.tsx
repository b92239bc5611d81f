/**
 * A session’s terminal; after it is closed, what it showed.
 */
import * as React from 'react';
import type { Run } from '../../api/types';
import { isFinal } from '../../runs';
import { Card, Strip } from '../../shared/views/components';
import { useServices } from './services';
import { TerminalPane } from '../../terminal/views';

/** The open terminal; after it is closed, what it wrote. */
export function SessionTerminal(props: {
  run: Run;
  onLeave: () => void;
}): React.ReactElement | null {
  const { run, onLeave } = props;
  const { trans, editor } = useServices();
  const live = editor.terminalId;
  const text = useRaw(live === null && isFinal(run) ? run.id : null);
  if (live !== null) {
    return (
      <TerminalPane
        sidebar
        key={live}
        terminalId={live}
        text={null}
        onLeave={onLeave}
        onSize={size => (editor.paneSize = size)}
      />
    );
  }
  if (!isFinal(run)) {
    return <Card title={trans.__('The terminal opens when the run starts')} />;
  }
  if (text === null) {
    return null;
  }
  return (
    <>
      <Strip>{trans.__('The terminal is closed. This is what it showed.')}</Strip>
      <TerminalPane sidebar key={run.id} terminalId={null} text={text} onLeave={onLeave} />
    </>
  );
}

function useRaw(runId: string | null): string | null {
  const { runs } = useServices();
  const [raw, setRaw] = React.useState<{ runId: string; text: string } | null>(null);
  React.useEffect(() => {
    let gone = false;
    if (runId !== null) {
      runs
        .readRaw(runId)
        .catch(() => '')
        .then(
          text => gone || setRaw({ runId, text }),
          () => undefined
        );
    }
    return () => {
      gone = true;
    };
  }, [runs, runId]);
  return raw && raw.runId === runId ? raw.text : null;
}
