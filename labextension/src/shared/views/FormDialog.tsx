/**
 * A dialog with a form, which stays open, with all that was written, until it is done or closed.
 */
import * as React from 'react';

import { visible } from '../untrusted';

import '../../../style/dialog.css';

/** Modal. Escape closes it, and the focus goes back to what opened it. Enter in a line of text is `onEnter`. */
export function FormDialog(props: {
  label: string;
  onClose: () => void;
  onEnter: () => void;
  /** What the server has refused, and no field can be named for. */
  refusal: string | null;
  buttons: React.ReactNode;
  children: React.ReactNode;
}): React.ReactElement {
  const { buttons, children, label, onClose, onEnter, refusal } = props;
  const dialog = React.useRef<HTMLDialogElement>(null);
  React.useEffect(() => {
    const opener = document.activeElement;
    dialog.current!.showModal();
    return () => (opener as HTMLElement | null)?.focus?.();
  }, []);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const { ctrlKey, key, metaKey, nativeEvent, target } = event;
    const isLine = (target as HTMLElement).tagName === 'INPUT';
    if (key === 'Enter' && !nativeEvent.isComposing && (isLine || ctrlKey || metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      onEnter();
    }
  };
  return (
    <dialog
      ref={dialog}
      className="jp-Cabinet-form-dialog"
      aria-label={label}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
    >
      <div onKeyDown={onKeyDown}>
        <h2>{label}</h2>
        {children}
        {refusal !== null && <p role="alert">{visible(refusal)}</p>}
        <div className="jp-Cabinet-form-buttons">{buttons}</div>
      </div>
    </dialog>
  );
}

/** What a control is given, so that it is read with its label and its note. */
export interface IControl {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
}

/** A label, its control, and below it what is wrong, else a hint. */
export function FormField(props: {
  label: string;
  wrong: string | null;
  hint?: string;
  children: (given: IControl) => React.ReactElement;
}): React.ReactElement {
  const { children, hint, label, wrong } = props;
  const id = React.useId();
  return (
    <div className="jp-Cabinet-form-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': wrong !== null, 'aria-describedby': `${id}-note` })}
      <span id={`${id}-note`} className={wrong === null ? 'jp-Cabinet-quiet' : 'jp-mod-wrong'}>
        {wrong === null ? hint : visible(wrong)}
      </span>
    </div>
  );
}
