/**
 * A button that copies a text, and says that it did.
 */
import { checkIcon, copyIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from './components';

/** Beside a `.jp-Cabinet-code` that shows the text: that is selected if the browser does not let a page copy. */
export function Copy(props: {
  text: string;
  label: string;
  bare?: boolean;
  trans: TranslationBundle;
}): React.ReactElement {
  const { text, label, trans } = props;
  const [done, setDone] = React.useState<boolean | null>(null);
  const copy = async (anchor: HTMLElement) => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
    } catch {
      // No clipboard without a secure address: select it, the keys copy.
      const code = anchor.parentElement!.querySelector('.jp-Cabinet-code')!;
      getSelection()?.selectAllChildren(code);
      setDone(false);
    }
  };
  return (
    <>
      <Button
        bare={props.bare}
        icon={done ? checkIcon : copyIcon}
        label={label}
        onClick={event => void copy(event.currentTarget)}
      />
      <span className="jp-Cabinet-quiet jp-Cabinet-copied" role="status">
        {done === null
          ? ''
          : done
            ? trans.__('Copied')
            : trans.__('Selected. Copy it with the keyboard.')}
      </span>
    </>
  );
}
