/**
 * Finding in a terminal's lines.
 */
import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { useTerminals } from './services';
import type { TerminalView } from './terminalView';

export function FindBar(props: { view: TerminalView; onClose: () => void }): React.ReactElement {
  const { trans } = useTerminals();
  const { view } = props;
  const [text, setText] = React.useState('');
  const close = () => {
    view.clearFind();
    props.onClose();
    view.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter') {
      view.find(text, event.shiftKey);
    } else if (event.key === 'Escape') {
      close();
    }
  };
  return (
    <div className="jp-Cabinet-find" role="search">
      <input
        autoFocus
        className="jp-Cabinet-field"
        type="search"
        aria-label={trans.__('Find in the terminal')}
        placeholder={trans.__('Find in the terminal')}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button label={trans.__('Previous')} onClick={() => view.find(text, true)} />
      <Button label={trans.__('Next')} onClick={() => view.find(text)} />
      <Button bare icon={closeIcon} label={trans.__('Close')} onClick={close} />
    </div>
  );
}
