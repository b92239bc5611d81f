/**
 * A form that covers its tab, and stays open, with all that was written, until it is done or closed.
 */
import * as React from 'react';

import { visible } from '../untrusted';

import '../../../style/dialog.css';

/**
 * Rendered beside the other content of its tab, which cannot be used meanwhile. All other tabs can: a form over the whole
 * page would block it also while another tab is shown. Escape closes it, and the focus returns to what opened it. Enter in a
 * line of text is `onEnter`. If that was refused, the focus moves to the first field that is wrong.
 */
export function FormDialog(props: {
  label: string;
  onClose: () => void;
  onEnter: () => void;
  /** What the server has refused, and no field can be named for. */
  refusal: string | null;
  /** Whether the server is asked now. */
  isBusy?: boolean;
  buttons: React.ReactNode;
  children: React.ReactNode;
}): React.ReactElement {
  const { buttons, children, isBusy, label, onClose, onEnter, refusal } = props;
  const cover = useCover();
  useFocusOnWrong(cover, isBusy);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const { ctrlKey, key, metaKey, nativeEvent, target } = event;
    if (nativeEvent.isComposing) {
      return;
    }
    const isLine = (target as HTMLElement).tagName === 'INPUT';
    const isEnter = key === 'Enter' && (isLine || ctrlKey || metaKey);
    if (isEnter || key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      (isEnter ? onEnter : onClose)();
    }
  };
  return (
    <div ref={cover} className="jp-Cabinet-form-cover">
      <div
        className="jp-Cabinet-form-dialog"
        role="dialog"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <h2>{label}</h2>
        {children}
        {refusal !== null && <p role="alert">{visible(refusal)}</p>}
        <div className="jp-Cabinet-form-buttons">{buttons}</div>
      </div>
    </div>
  );
}

/** Nothing beside this element can be used while it is there; the focus goes into it and back. */
function useCover(): React.RefObject<HTMLDivElement> {
  const cover = React.useRef<HTMLDivElement>(null);
  const [opener] = React.useState(() => document.activeElement as HTMLElement | null);
  React.useLayoutEffect(() => {
    const dialog = cover.current!.firstElementChild as HTMLElement;
    const content = cover.current!.parentElement!;
    const others = [...content.children].filter(each => each !== cover.current);
    const isFocused = () => dialog.contains(document.activeElement);
    others.forEach(each => each.toggleAttribute('inert', true));
    if (!isFocused()) {
      dialog.focus();
    }
    return () => {
      others.forEach(each => each.toggleAttribute('inert', false));
      if (isFocused() || document.activeElement === document.body) {
        opener?.focus();
      }
      if (isFocused()) {
        content.querySelector<HTMLElement>('[data-first-focus]')?.focus(); // the opener is in another tab
      }
    };
  }, [opener]);
  return cover;
}

/** Once the server has answered, what it refuses is where the person continues. */
function useFocusOnWrong(place: React.RefObject<HTMLElement>, isBusy?: boolean): void {
  const wasBusy = React.useRef(isBusy);
  React.useEffect(() => {
    if (wasBusy.current && !isBusy) {
      place.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
    wasBusy.current = isBusy;
  }, [isBusy]);
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
        {wrong === null ? hint : <span role="alert">{visible(wrong)}</span>}
      </span>
    </div>
  );
}
