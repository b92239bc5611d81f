import { autocompletion, completionStatus, startCompletion } from '@codemirror/autocomplete';
import { EditorView } from '@codemirror/view';

import { mentionCompletions } from './mentions';
import { tabCompletes } from './tabCompletes';

const FILE = { path: 'reports/notes.md', title: '', note: '' };

/** A field in which suggestions arrive when `answer` is called. */
function field(text: string) {
  let answer: (() => void) | null = null; // once they are asked for
  const find = () =>
    new Promise<(typeof FILE)[]>(resolve => {
      answer = () => resolve([FILE]);
    });
  const source = mentionCompletions({
    find: find as never,
    groupTitle: 'Files',
    onNone: () => undefined
  });
  const view = new EditorView({
    parent: document.body,
    doc: text,
    selection: { anchor: text.length },
    extensions: [
      autocompletion({ override: [source], interactionDelay: 0, activateOnTypingDelay: 0 }),
      tabCompletes()
    ]
  });
  view.focus();
  startCompletion(view);
  return { view, isAsked: () => answer !== null, answer: () => answer!() };
}

function tab(view: EditorView): boolean {
  const event = new KeyboardEvent('keydown', {
    key: 'Tab',
    keyCode: 9,
    bubbles: true,
    cancelable: true
  });
  view.contentDOM.dispatchEvent(event);
  return event.defaultPrevented;
}

const soon = () => new Promise(resolve => setTimeout(resolve, 100));

/** On a busy machine a suggestion takes longer. */
async function until(met: () => boolean): Promise<void> {
  for (let tries = 0; tries < 40 && !met(); tries++) {
    await soon();
  }
}

describe('Tab in the composer', () => {
  it('takes a suggestion that arrives after the key', async () => {
    const { view, isAsked, answer } = field('see @not');
    await until(isAsked);
    expect(completionStatus(view.state)).toBe('pending');
    expect(tab(view)).toBe(true);
    answer();
    await until(() => view.state.doc.toString() !== 'see @not');
    expect(view.state.doc.toString()).toBe('see @reports/notes.md ');
  });

  it('takes nothing once somebody has continued writing', async () => {
    const { view, isAsked, answer } = field('see @not');
    await until(isAsked);
    tab(view);
    view.dispatch(view.state.replaceSelection('e'));
    answer();
    await soon();
    expect(view.state.doc.toString()).toBe('see @note');
  });

  it('goes to the next control where nothing is suggested', async () => {
    const { view } = field('see it');
    await soon();
    expect(tab(view)).toBe(false);
  });
});
