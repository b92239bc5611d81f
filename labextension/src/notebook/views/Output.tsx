/**
 * One output of a cell: the kind of view that it names, once it is about to be seen.
 */
import * as React from 'react';

import { useChanges, useSeen } from '../../shared/views/hooks';
import type { ShownOutput } from '../stores/shownOutput';
import { keyOf, type View } from '../stores/view';
import { AgentOutput, GoalOutput } from './AgentOutput';
import { RunOutput } from './RunOutput';
import { Saved } from './Saved';
import { type IViewProps, useCells } from './services';
import { TerminalOutput } from './TerminalOutput';
import { TrustOutput } from './TrustOutput';

export function Output({ shown }: { shown: ShownOutput }): React.ReactElement {
  const { consent, trans } = useCells();
  useChanges(shown.changed, consent.changed);
  const place = React.useRef<HTMLDivElement>(null);
  const seen = useSeen(place);
  const { saved, trusted, view } = shown;
  const mayAct = view !== null && consent.mayAct(view, trusted);
  return (
    <div ref={place} className="jp-Cabinet-cell-view" data-view={view?.view}>
      {view === null ? (
        <Saved saved={saved} words={trans.__('This version of Cabinet cannot show this output.')} />
      ) : (
        seen && <Kind key={keyOf(view)} view={view} saved={saved} mayAct={mayAct} />
      )}
    </div>
  );
}

function Kind({ view, ...props }: IViewProps<View>): React.ReactElement {
  switch (view.view) {
    case 'run':
      return <RunOutput view={view} {...props} />;
    case 'agent':
      return <AgentOutput view={view} {...props} />;
    case 'goal':
      return <GoalOutput view={view} {...props} />;
    case 'trust':
      return <TrustOutput {...props} />;
    case 'terminal':
      return <TerminalOutput view={view} {...props} />;
  }
}
