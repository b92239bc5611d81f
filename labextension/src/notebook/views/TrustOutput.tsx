/**
 * A cell that was refused because nobody has confirmed the folder: the way to the dialog that asks.
 */
import * as React from 'react';

import { Button, Strip } from '../../shared/views/components';
import type { ISaved } from '../stores/shownOutput';
import { Saved } from './Saved';
import { useCells } from './services';

/** The dialog opens when a person wants it, never because a notebook was opened. */
export function TrustOutput(props: { saved: ISaved; mayAct: boolean }): React.ReactElement {
  const { confirmFolder, terminals, trans } = useCells();
  const [isConfirmed, setConfirmed] = React.useState(false);
  const output = React.useRef<HTMLDivElement>(null);
  // the button that had the focus is gone: from its cell, the keyboard can run it again
  React.useEffect(() => {
    if (isConfirmed) {
      output.current?.closest<HTMLElement>('.jp-Cell')?.focus();
    }
  }, [isConfirmed]);
  const words = trans.__('This folder is not trusted yet, so nothing was started.');
  if (!props.mayAct) {
    return <Saved saved={props.saved} words={words} />;
  }
  if (isConfirmed) {
    return (
      <div ref={output}>
        <Strip>{trans.__('The folder is trusted. Run this cell again.')}</Strip>
      </div>
    );
  }
  const ask = () => void confirmFolder().then(setConfirmed, terminals.complain);
  return (
    <Strip tone="warning" actions={<Button label={trans.__('Trust this folder…')} onClick={ask} />}>
      {words}
    </Strip>
  );
}
