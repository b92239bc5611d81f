/**
 * Three instructions that an agent suggests for a session. A click puts one into the field above.
 */
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import type { TimelineStore } from '../stores/timeline';
import { usePastSessions } from './services';

export function NextPrompts(props: {
  timeline: TimelineStore;
  onChoose: (prompt: string) => void;
}): React.ReactElement | null {
  const { nextPrompts, session } = props.timeline;
  const { connection, suggestsNextPrompts, trans } = usePastSessions();
  useChanges(nextPrompts.changed);
  const isOn = suggestsNextPrompts() && connection.mayRun && session.grade !== null;
  React.useEffect(() => void (isOn && nextPrompts.ask()), [isOn, nextPrompts]);
  if (!isOn) {
    return null;
  }
  return (
    <div
      className="jp-Cabinet-past-next"
      role="group"
      aria-label={trans.__('Suggested next prompts')}
    >
      {nextPrompts.isWorking && (
        <>
          <span className="jp-Cabinet-quiet" role="status">
            {trans.__('Getting suggestions from an agent…')}
          </span>
          <Button
            link
            label={trans.__('Stop the suggestions')}
            onClick={() => void nextPrompts.stop()}
          />
        </>
      )}
      {nextPrompts.problem && (
        <span className="jp-Cabinet-quiet">
          {trans.__('No suggestions. %1', visible(nextPrompts.problem))}
        </span>
      )}
      {nextPrompts.prompts.map(prompt => (
        <Button key={prompt} label={visible(prompt)} onClick={() => props.onChoose(prompt)} />
      ))}
    </div>
  );
}
