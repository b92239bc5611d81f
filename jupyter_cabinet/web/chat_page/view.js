/**
 * Makes the elements of the page. Texts of people and agents become text nodes, never HTML.
 */
import { marked, segments } from './parts.js';

const READ_ONLY = 'You may read here, but not run agents on this server.';
const CLOSED = {
  off: 'This web chat is switched off.',
  elsewhere: 'Another server on this folder has this chat. Open its page there.',
  connecting: 'The chat is starting.',
  failed: 'This web chat does not work.'
};

export const whyClosed = state => CLOSED[state] ?? READ_ONLY;

export function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text ?? '';
  made.className = className ?? '';
  return made;
}

export function button(label, onClick, isDisabled = false) {
  const made = element('button', label);
  made.type = 'button';
  made.disabled = isDisabled;
  made.addEventListener('click', onClick);
  return made;
}

/** Whether an element shows something else. It is taken to show this from now on. */
export function isNew(shown, values) {
  const state = JSON.stringify(values);
  const isOther = shown.dataset.state !== state;
  shown.dataset.state = state;
  return isOther;
}

/**
 * Write a message into its row, unless it is there already. `press` is called with the position of a button, and when
 * the buttons were shown.
 */
export function fillRow(row, message, { isPressed, mayApprove, note, press }) {
  const { agent, buttons, isUnsent, sender, text } = message;
  if (!isNew(row, [text, buttons, agent, isUnsent, isPressed, note, mayApprove])) {
    return;
  }
  row.className = sender;
  const who = sender === 'you' ? 'You' : agent ? `@${agent}` : 'Jupyter Cabinet';
  const head = element('p', who, 'head');
  head.append(' ', isUnsent ? element('span', 'not sent yet') : time(message.at));
  row.replaceChildren(head, ...segments(text).map(each => part(each, sender === 'you')));
  if (buttons.length && mayApprove) {
    const shownAt = performance.now();
    const group = element('div', '', 'buttons');
    group.append(
      ...buttons.map((label, position) => button(label, () => press(position, shownAt), isPressed))
    );
    row.append(group);
  }
  if (note && buttons.length) {
    const said = element('p', note);
    said.setAttribute('role', 'status');
    row.append(said);
  }
}

function part({ isCode, text }, isPlain) {
  const shown = text.replace(/^\n+|\n+$/g, '');
  const made = element(isCode ? 'pre' : 'p', isCode || isPlain ? shown : '');
  if (!made.textContent) {
    made.append(...marked(shown).map(([name, piece]) => (name ? styled(name, piece) : piece)));
  }
  made.dir = 'auto';
  return made;
}

function styled(name, text) {
  const made = element(name, text);
  if (name === 'a') {
    Object.assign(made, { href: text, rel: 'noopener noreferrer', target: '_blank' });
  }
  return made;
}

function time(text) {
  const when = new Date(text);
  const isToday = when.toDateString() === new Date().toDateString();
  const short = { hour: '2-digit', minute: '2-digit' };
  const made = element(
    'time',
    when.toLocaleString([], isToday ? short : { ...short, day: 'numeric', month: 'short' })
  );
  made.dateTime = text;
  made.title = when.toLocaleString();
  return made;
}

/** What to do if there is no chat. `other`: one that could be opened. */
export function nothing(other, open) {
  if (other) {
    return [
      element('p', 'There is no such web chat, or you may not see it.'),
      button('Open another one', () => open(other))
    ];
  }
  const how =
    'In JupyterLab, open Channels from the launcher and choose Add channel, with the platform Web chat. This page shows it then.';
  return [element('p', 'There is no web chat for you yet.'), element('p', how)];
}

export function examples(agent, write) {
  const who = agent
    ? `@${agent} answers what you write.`
    : 'Begin with the name of an agent, such as @name.';
  const texts = [
    ['Which agents are there?', '/agents'],
    ['Show the commands', '/help']
  ];
  const found = element('div', '', 'buttons');
  for (const [label, text] of agent
    ? [['What can you do?', 'What can you do?'], ...texts]
    : texts) {
    found.append(button(label, () => write(text)));
  }
  return [element('p', who), found];
}

export function workRow(agent, waits, cancel) {
  const row = element('p', `@${agent} ${waits ? 'waits for your answer.' : 'is working.'}`);
  const stop = button('Cancel', () => cancel(agent));
  stop.setAttribute('aria-label', `Cancel the work of @${agent}`);
  row.append(stop);
  return row;
}

/**
 * Keep the end of a list in view when its height changes, unless the person has scrolled up. `isInView` does not wait
 * for the browser, which tells of scrolling with the next frame only.
 */
export function followEnd(main) {
  let [wasInView, height, top] = [true, 0, 0];
  const isInView = () => {
    if (main.scrollTop !== top) {
      top = main.scrollTop;
      // when the height has just changed, this may be the scrolling of before or of after the change
      const most = Math.max(height, main.clientHeight);
      wasInView = main.scrollHeight - top - most < 80;
    }
    return wasInView;
  };
  const show = () => {
    main.scrollTop = main.scrollHeight;
    [wasInView, top] = [true, main.scrollTop];
  };
  main.addEventListener('scroll', isInView);
  new ResizeObserver(() => {
    const isFollowed = isInView();
    height = main.clientHeight; // the keyboard of a phone takes half of it
    if (isFollowed) {
      show();
    }
  }).observe(main);
  return { isInView, show };
}
