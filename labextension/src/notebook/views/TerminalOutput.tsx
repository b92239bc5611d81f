/**
 * A shared terminal in the output of a cell: the same as in a tab, in a height that a person sets.
 */
import { launchIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Commands } from '../../shared/commands';
import { terminalIcon } from '../../shared/icons/start';
import { Button, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { TerminalPane } from '../../terminal/views';
import type { View } from '../stores/view';
import { ConsentStrip } from './ConsentStrip';
import { Saved } from './Saved';
import { type IViewProps, useCells } from './services';

/** In pixels. A step is about a row; the terminal itself never shows a part of one. */
const HEIGHT = { least: 140, first: 360, most: 1200, step: 18 } as const;

export function TerminalOutput(props: IViewProps<View & { view: 'terminal' }>): React.ReactElement {
  const { mayAct, saved, view } = props;
  const { terminals, trans, run } = useCells();
  const id = view.terminal_id;
  useChanges(terminals.list.changed);
  const known = terminals.list.get(id);
  const [height, setHeight] = React.useState<number>(HEIGHT.first);
  if (!mayAct) {
    return (
      <>
        <ConsentStrip view={view} />
        <Saved saved={saved} words={trans.__('A shared terminal.')} />
      </>
    );
  }
  return (
    <section className="jp-Cabinet-terminal-output" aria-label={trans.__('Shared terminal')}>
      <header className="jp-Cabinet-run-line">
        <Icon icon={terminalIcon} />
        <strong>
          <Untrusted text={known?.name ?? trans.__('Shared terminal')} />
        </strong>
        <span className="jp-Cabinet-spring" />
        <Button
          quiet
          icon={launchIcon}
          label={trans.__('Open in a tab')}
          onClick={() => run(Commands.openTerminal, { id })}
        />
      </header>
      <div className="jp-Cabinet-terminal-place jp-Cabinet-tab-content" style={{ height }}>
        <TerminalPane terminalId={id} text={null} />
      </div>
      <Grip height={height} onHeight={setHeight} />
    </section>
  );
}

/** Drags the lower edge; arrows do it by row. */
function Grip(props: { height: number; onHeight: (height: number) => void }): React.ReactElement {
  const { trans } = useCells();
  const { height } = props;
  const set = (wanted: number) =>
    props.onHeight(Math.min(HEIGHT.most, Math.max(HEIGHT.least, Math.round(wanted))));
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: HEIGHT.step, ArrowUp: -HEIGHT.step }[event.key];
    if (step) {
      event.preventDefault();
      event.stopPropagation(); // else the notebook goes to another cell
      set(height + step);
    }
  };
  const onPointerDown = (event: React.PointerEvent<HTMLDivElement>) => {
    const { currentTarget: grip, pointerId, clientY } = event;
    grip.setPointerCapture(pointerId);
    const move = (moved: PointerEvent) => set(height + moved.clientY - clientY);
    const end = () => grip.removeEventListener('pointermove', move);
    grip.addEventListener('pointermove', move);
    grip.addEventListener('lostpointercapture', end, { once: true });
  };
  return (
    <div
      className="jp-Cabinet-grip"
      role="separator"
      aria-orientation="horizontal"
      aria-label={trans.__('Height of the terminal')}
      aria-valuemin={HEIGHT.least}
      aria-valuemax={HEIGHT.most}
      aria-valuenow={height}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
    />
  );
}
