/**
 * The page of the web chat. It shows what the server has on record, and reads that again when an event says that
 * something has changed. What is written stays in the browser's tab until the server has stored it.
 *
 * Texts of people and agents become text nodes, never HTML.
 */
import { History, segments } from './parts.js';

const API = new URL('api/', document.baseURI);
const PAGE = 50; // messages
const AGAIN_SECONDS = [1, 2, 4, 8, 15];
const ASLEEP_SECONDS = 30; // after which an open connection is not trusted
const STEADY_SECONDS = 0.5; // for which a button must have been in its place
const OFFLINE = 'Disconnected. Trying again.';
const LOGGED_OUT = 'You are logged out.';
const READ_ONLY = 'You may read here, but not run agents on this server.';
const CLOSED = {
  off: 'This web chat is switched off.',
  elsewhere: 'Another server on this folder has this chat. Open its page there.',
  connecting: 'The chat is starting.',
  failed: 'This web chat does not work. JupyterLab shows the reason, in Channels.'
};

const at = id => document.getElementById(id);
const [title, choice, chats, strip, main] = ['title', 'choice', 'chats', 'strip', 'history'].map(at);
const [older, empty, log, list, work] = ['older', 'empty', 'log', 'messages', 'work'].map(at);
const [form, field, send, problem, closed] = ['form', 'text', 'send', 'problem', 'closed'].map(at);

/** The server has refused something. The message is for people. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let offered = null; // what the person may use and do
let chat = null; // the one that is open
let history = new History();
let unsent = []; // `{ key, text }`, in order
let rows = new Map(); // list items by the id of their message, or by the key of the person's own
let notes = new Map(); // results of presses, by message
let pressed = new Set(); // messages whose button was pressed

// --- the server --------------------------------------------------------------------------------

async function request(method, path, body) {
  const reply = await fetch(new URL(path, API), {
    method,
    cache: 'no-store',
    credentials: 'same-origin',
    headers: body ? { 'Content-Type': 'application/json', 'X-XSRFToken': cookie('_xsrf') } : {},
    body: body && JSON.stringify(body)
  });
  const json = await reply.json().catch(() => null);
  if (reply.ok && json) {
    return json;
  }
  if (reply.status === 401) {
    throw new Refusal(401, LOGGED_OUT);
  }
  if (json?.error) {
    throw new Refusal(reply.status, json.error.message);
  }
  throw new TypeError(`The server answered ${reply.status}.`); // a proxy: as if there were no connection
}

function cookie(name) {
  return document.cookie.match(new RegExp(`(?:^|; )${name}=([^;]*)`))?.[1] ?? '';
}

/** Read everything that is shown. One reading at a time, and one more if something has changed meanwhile. */
let reading = null;
let isStale = false;
function refresh() {
  isStale = true;
  reading ??= (async () => {
    try {
      while (isStale) {
        isStale = false;
        offered = await request('GET', 'web-chats');
        choose();
        if (chat) {
          const { id } = chat;
          const page = await request('GET', `web-chats/${id}/messages?limit=${PAGE}`);
          if (id === chat?.id) {
            history.takeNewest(page);
          }
        }
        show();
      }
    } finally {
      reading = null;
    }
  })();
  return reading;
}

// --- the connection ----------------------------------------------------------------------------

let socket = null;
let failures = 0;
let timer = 0;

/** Listen first, then read, so that nothing is missed between both. */
function connect() {
  clearTimeout(timer);
  socket?.close();
  const address = new URL('events?kinds=channel_changed,channel_message_changed', API);
  address.protocol = address.protocol.replace('http', 'ws');
  const mine = (socket = new WebSocket(address));
  mine.onopen = () =>
    refresh().then(
      () => {
        failures = 0;
        say('');
        sendAll();
      },
      error => mine === socket && lose(error)
    );
  mine.onmessage = ({ data }) => {
    const { event, type } = JSON.parse(data);
    if (mine !== socket) {
      return;
    }
    if (type === 'reset' || event?.type === 'channel_changed' || event?.channel_id === chat?.id) {
      refresh().catch(lose);
    }
  };
  mine.onclose = () => mine === socket && lose(null);
}

/** Say why, and connect again after a while. */
function lose(error) {
  const lost = socket;
  socket = null;
  lost?.close();
  clearTimeout(timer);
  timer = setTimeout(connect, AGAIN_SECONDS[Math.min(failures, AGAIN_SECONDS.length - 1)] * 1000);
  failures += 1;
  if (error instanceof Refusal) {
    say(error.message, error.status === 401);
  } else if (error) {
    say(OFFLINE);
  } else {
    say(OFFLINE);
    request('GET', 'web-chats').catch(each => each.status === 401 && lose(each)); // perhaps the login has ended
  }
}

let hiddenAt = 0;
document.addEventListener('visibilitychange', () => {
  const now = Date.now();
  if (document.hidden) {
    hiddenAt = now;
  } else if (!socket || now - hiddenAt > ASLEEP_SECONDS * 1000) {
    failures = 0;
    connect();
  }
});
addEventListener('online', connect);

function say(words, canLogIn = false) {
  strip.textContent = words;
  if (canLogIn) {
    clearTimeout(timer);
    strip.append(' ', button('Log in', () => location.reload()));
  }
}

// --- which chat --------------------------------------------------------------------------------

function choose() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const items = offered.items;
  const found = items.find(each => each.id === wanted) ?? (wanted ? undefined : items[0]);
  if (found?.id !== chat?.id) {
    history = new History();
    [rows, notes, pressed] = [new Map(), new Map(), new Set()];
    list.replaceChildren();
    log.setAttribute('aria-live', 'off');
    restore(found?.id);
  }
  chat = found ?? null;
}

addEventListener('hashchange', () => refresh().catch(lose));
chats.addEventListener('change', () => (location.hash = chats.value));

// --- writing -----------------------------------------------------------------------------------

const place = id => `cabinet-chat/${id}`;

/** What a reload of the page must not lose. */
function keep() {
  if (chat) {
    sessionStorage.setItem(place(chat.id), JSON.stringify({ unsent, draft: field.value }));
  }
}

function restore(id) {
  const kept = JSON.parse(sessionStorage.getItem(place(id)) ?? '{}');
  unsent = kept.unsent ?? [];
  field.value = kept.draft ?? '';
  grow();
}

function write(text) {
  const key = [...crypto.getRandomValues(new Uint32Array(4))].map(each => each.toString(36)).join('-');
  problem.textContent = '';
  unsent.push({ key, text });
  keep();
  show(true);
  sendAll();
}

/** Send what waits, in order. What the server refuses comes back into the field. */
let isSending = false;
async function sendAll() {
  if (isSending) {
    return;
  }
  isSending = true;
  const { id } = chat ?? {};
  try {
    while (id && id === chat?.id && unsent.length) {
      const stored = await request('POST', `web-chats/${id}/messages`, unsent[0]);
      if (id === chat?.id) {
        history.take([stored]);
        unsent = unsent.filter(each => each.key !== stored.key);
        keep();
        show();
      }
    }
  } catch (error) {
    if (error instanceof Refusal && error.status !== 401 && id === chat?.id) {
      const texts = [...unsent.map(each => each.text), field.value].filter(Boolean);
      [unsent, field.value, problem.textContent] = [[], texts.join('\n'), error.message];
      grow();
      keep();
      show();
    } else {
      lose(error);
    }
  } finally {
    isSending = false;
    if (id !== chat?.id) {
      sendAll();
    }
  }
}

form.addEventListener('submit', event => {
  event.preventDefault();
  const text = field.value.trim();
  if (text && !field.disabled) {
    field.value = '';
    grow();
    write(text);
  }
});
field.addEventListener('keydown', event => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
field.addEventListener('input', () => {
  grow();
  keep();
});

/** Make the field as high as its text; the style sheet limits it. */
function grow() {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}

async function press(message, position, shownAt) {
  if (performance.now() - shownAt < STEADY_SECONDS * 1000 || pressed.has(message.id)) {
    return;
  }
  pressed.add(message.id);
  notes.delete(message.id);
  show();
  try {
    const body = { message: message.id, button: position };
    notes.set(message.id, (await request('POST', `web-chats/${chat.id}/press`, body)).note);
  } catch (error) {
    notes.set(message.id, error instanceof Refusal ? error.message : `Not sent. ${OFFLINE}`);
  }
  pressed.delete(message.id);
  show();
  refresh().catch(lose);
}

older.addEventListener('click', async () => {
  const { id } = chat;
  const before = main.scrollHeight - main.scrollTop;
  try {
    const page = await request('GET', `web-chats/${id}/messages?limit=${PAGE}&cursor=${history.cursor}`);
    if (id === chat?.id) {
      history.takeOlder(page);
      show();
      main.scrollTop = main.scrollHeight - before;
    }
  } catch (error) {
    lose(error);
  }
});

// --- what is shown -----------------------------------------------------------------------------

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text ?? '';
  made.className = className ?? '';
  return made;
}

function button(label, onClick) {
  const made = element('button', label);
  made.type = 'button';
  made.addEventListener('click', onClick);
  return made;
}

/** `toEnd`: also if the person has scrolled up. */
function show(toEnd = false) {
  const isAtEnd = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
  unsent = unsent.filter(each => !history.has(each.key));
  showChoice();
  showMessages();
  showEmpty();
  showWork();
  if (toEnd || isAtEnd) {
    main.scrollTop = main.scrollHeight;
  }
}

function showChoice() {
  const items = offered?.items ?? [];
  document.title = title.textContent = chat?.title ?? 'Web chat';
  choice.hidden = items.length < 2;
  const known = [...chats.options].map(each => `${each.value} ${each.text}`).join();
  if (known !== items.map(each => `${each.id} ${each.title}`).join()) {
    chats.replaceChildren(...items.map(each => new Option(each.title, each.id)));
  }
  chats.value = chat?.id ?? '';
  const wasDisabled = field.disabled;
  field.disabled = send.disabled = !chat || !offered.may_ask || chat.state !== 'connected';
  if (wasDisabled && !field.disabled && matchMedia('(pointer: fine)').matches) {
    field.focus();
  }
}

function showMessages() {
  older.hidden = history.cursor === null;
  const waiting = unsent.map(each => ({ ...each, id: each.key, sender: 'you', buttons: [], isUnsent: true }));
  const wanted = [...history.messages, ...waiting];
  const names = new Set(wanted.map(nameOf));
  for (const [name, row] of rows) {
    if (!names.has(name)) {
      row.remove();
      rows.delete(name);
    }
  }
  wanted.forEach((message, index) => {
    const row = rows.get(nameOf(message)) ?? element('li');
    rows.set(nameOf(message), row);
    fill(row, message);
    if (list.children[index] !== row) {
      list.insertBefore(row, list.children[index] ?? null);
    }
  });
  log.setAttribute('aria-live', 'polite'); // not for what was there before
}

const nameOf = message => message.key || message.id;

/** Write a message into its row, unless it is there already. */
function fill(row, message) {
  const { agent, buttons, id, isUnsent, sender, text } = message;
  const state = JSON.stringify([text, buttons, agent, isUnsent, pressed.has(id), notes.get(id), offered.may_approve]);
  if (row.dataset.state === state) {
    return;
  }
  const shownAt = performance.now();
  row.dataset.state = state;
  row.className = sender;
  const head = element('p', sender === 'you' ? 'You' : agent ? `@${agent}` : 'Jupyter Cabinet', 'head');
  head.append(' ', isUnsent ? element('span', 'not sent yet') : time(message.at));
  const parts = segments(text).map(part => {
    const made = element(part.isCode ? 'pre' : 'p', part.text.replace(/^\n+|\n+$/g, ''));
    made.dir = 'auto';
    return made;
  });
  row.replaceChildren(head, ...parts);
  if (buttons.length && offered.may_approve) {
    const group = element('div', '', 'buttons');
    buttons.forEach((label, position) => {
      const made = button(label, () => press(message, position, shownAt));
      made.disabled = pressed.has(id);
      group.append(made);
    });
    row.append(group);
  }
  if (notes.has(id) && buttons.length) {
    const note = element('p', notes.get(id), 'note');
    note.setAttribute('role', 'status');
    row.append(note);
  }
}

function time(text) {
  const when = new Date(text);
  const isToday = when.toDateString() === new Date().toDateString();
  const short = { hour: '2-digit', minute: '2-digit' };
  const made = element('time', when.toLocaleString([], isToday ? short : { ...short, day: 'numeric', month: 'short' }));
  made.dateTime = text;
  made.title = when.toLocaleString();
  return made;
}

let emptyState = '';
function showEmpty() {
  const isEmpty = !chat || (history.byId.size === 0 && unsent.length === 0);
  const isOpen = chat?.state === 'connected' && offered.may_ask;
  const state = JSON.stringify([chat, isEmpty, isOpen, location.hash]);
  empty.hidden = !isEmpty;
  closed.textContent = isOpen || !chat ? '' : (CLOSED[chat.state] ?? READ_ONLY);
  form.hidden = !chat;
  if (state === emptyState) {
    return;
  }
  emptyState = state;
  if (!chat) {
    empty.replaceChildren(...nothing());
  } else if (isOpen) {
    const who = chat.agent ? `@${chat.agent} answers what you write.` : 'Begin with the name of an agent, such as @name.';
    empty.replaceChildren(element('p', who), examples());
  } else {
    empty.replaceChildren();
  }
}

/** What to do if there is no chat. */
function nothing() {
  const [first] = offered.items;
  if (first) {
    return [
      element('p', 'There is no such web chat, or you may not see it.'),
      button('Open another one', () => (location.hash = first.id))
    ];
  }
  return [
    element('p', 'There is no web chat for you yet.'),
    element(
      'p',
      'In JupyterLab, open Channels from the launcher and choose Add channel, with the platform Web chat. This page shows it then.'
    )
  ];
}

function examples() {
  const found = element('div', '', 'buttons');
  const texts = { 'What can you do?': 'What can you do?', 'Which agents are there?': '/agents', 'Show the commands': '/help' };
  for (const [label, text] of Object.entries(texts)) {
    if (chat.agent || text.startsWith('/')) {
      found.append(button(label, () => !field.disabled && write(text)));
    }
  }
  return found;
}

let workState = '';
function showWork() {
  const agents = chat?.state === 'connected' ? history.working : [];
  const waits = agents.length === 1 && history.asks;
  const state = JSON.stringify([agents, waits, offered?.may_ask]);
  if (state === workState) {
    return;
  }
  workState = state;
  work.replaceChildren(
    ...agents.map(agent => {
      const row = element('p', `@${agent} ${waits ? 'waits for your answer.' : 'is working.'}`);
      if (offered.may_ask) {
        const cancel = button('Cancel', () => write(`/cancel @${agent}`));
        cancel.setAttribute('aria-label', `Cancel the work of @${agent}`);
        row.append(' ', cancel);
      }
      return row;
    })
  );
}

connect();
