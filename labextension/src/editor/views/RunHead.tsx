/**
 * The head of a session: the instruction, and its run’s state in one line.
 */
import {
  caretLeftIcon,
  caretRightIcon,
  closeIcon,
  refreshIcon,
  stopIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';
import type { Run } from '../../api/types';
import { isFinal } from '../../runs';
import { OpenPlan, RunState } from '../../runs/views';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';

export function RunHead(props: {
  run: Run;
  line: React.RefObject<HTMLDivElement>;
  left: boolean;
  onBlur: () => void;
}): React.ReactElement {
  const { run } = props;
  const { focusComposer, trans, editor, connection } = useServices();
  const off = !connection.online;
  const mayRunAgain =
    isFinal(run) && run.state !== 'succeeded' && !editor.activeRun && !editor.isForeign;
  return (
    <header className="jp-Cabinet-run">
      <Untrusted block className="jp-Cabinet-run-instruction" text={run.instruction} />
      {run.attached.length > 0 && (
        <ul className="jp-Cabinet-run-attached" aria-label={trans.__('Sent with it')}>
          {run.attached.map((title, index) => (
            <li key={index} title={visible(title)}>
              <Untrusted text={title} />
            </li>
          ))}
        </ul>
      )}
      <div
        ref={props.line}
        className="jp-Cabinet-run-state"
        role="group"
        aria-label={trans.__('State of the run')}
        tabIndex={-1}
        onBlur={props.onBlur}
      >
        <RunState
          run={run}
          facts={
            props.left ? <span>{trans.__('The keyboard has left the terminal')}</span> : undefined
          }
        />
        {run.agent && <Untrusted text={trans.__('with %1', run.agent)} />}
        <span className="jp-Cabinet-spring" />
        <RunPager />
        <OpenPlan run={run} />
        {connection.mayRun && !isFinal(run) && (
          <Button
            icon={stopIcon}
            label={run.state === 'queued' ? trans.__('Cancel') : trans.__('Stop')}
            disabled={off}
            onClick={() => {
              void editor.stop();
              focusComposer();
            }}
          />
        )}
        <EndSession run={run} />
        {connection.mayRun && mayRunAgain && (
          <Button
            icon={refreshIcon}
            label={trans.__('Run again')}
            disabled={off || editor.submitting}
            onClick={() => {
              void editor.runAgain();
              focusComposer();
            }}
          />
        )}
      </div>
    </header>
  );
}

function EndSession({ run }: { run: Run }): React.ReactElement | null {
  const { focusComposer, trans, editor, connection } = useServices();
  if (!connection.mayRun || editor.terminalId === null || editor.isForeign) {
    return null;
  }
  const title = visible(run.runtime_title);
  return (
    <Button
      bare
      icon={closeIcon}
      label={trans.__('End session')}
      title={trans.__('Closes %1. You can continue the conversation later.', title)}
      disabled={!connection.online}
      onClick={() => {
        void editor.closeSession();
        focusComposer();
      }}
    />
  );
}

function RunPager(): React.ReactElement | null {
  const { trans, editor } = useServices();
  const { index, pages } = editor;
  if (pages.length < 2) {
    return null;
  }
  return (
    <span className="jp-Cabinet-pager">
      <Button
        bare
        icon={caretLeftIcon}
        label={trans.__('Earlier instruction')}
        disabled={index === 0}
        onClick={() => editor.select(index - 1)}
      />
      <span>{trans.__('%1 of %2', index + 1, pages.length)}</span>
      <Button
        bare
        icon={caretRightIcon}
        label={trans.__('Later instruction')}
        disabled={index === pages.length - 1}
        onClick={() => editor.select(index + 1)}
      />
    </span>
  );
}
