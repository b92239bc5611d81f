/**
 * A field that searches while a person types, and beside it what the search says.
 */
import * as React from 'react';

/** Milliseconds without a key. */
const PAUSE = 300;

export interface ISearch {
  /** The words that are searched for. */
  readonly q: string;
  find: (words: string) => Promise<unknown>;
}

export function SearchField(props: {
  search: ISearch;
  label: string;
  className: string;
  inputClassName: string;
  disabled: boolean;
  /** Enter was pressed. `isNew`: these words are not searched for yet. */
  onEnter: (words: string, isNew: boolean, isShift: boolean) => void;
  /** The other keys. `clear` empties the field. */
  onKeyDown?: (event: React.KeyboardEvent<HTMLInputElement>, clear: () => void) => void;
  /** The status, by the words in the field. */
  status: (words: string) => React.ReactNode;
  /** What follows the status, such as buttons that do what Enter does. */
  children?: (enter: (isShift: boolean) => void) => React.ReactNode;
}): React.ReactElement {
  const { label, search } = props;
  const [words, setWords] = React.useState(search.q);
  const timer = React.useRef<ReturnType<typeof setTimeout>>();
  React.useEffect(() => () => clearTimeout(timer.current), []);
  React.useEffect(
    () => setWords(before => (before.trim() === search.q ? before : search.q)), // it has searched for other words
    [search.q]
  );
  const type = (text: string) => {
    setWords(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void search.find(text), text.trim() ? PAUSE : 0);
  };
  const enter = (isShift: boolean) => {
    clearTimeout(timer.current);
    props.onEnter(words, words.trim() !== search.q, isShift);
  };
  return (
    <div className={props.className} role="search" aria-label={label}>
      <input
        type="search"
        className={props.inputClassName}
        aria-label={label}
        placeholder={label}
        value={words}
        disabled={props.disabled}
        onChange={event => type(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
            event.preventDefault();
            enter(event.shiftKey);
          } else {
            props.onKeyDown?.(event, () => type(''));
          }
        }}
      />
      <span className="jp-Cabinet-quiet" role="status">
        {props.status(words)}
      </span>
      {props.children?.(enter)}
    </div>
  );
}
