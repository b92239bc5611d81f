/**
 * The page of the web chat. It shows what the server has on record, and reads that again after each event.
 */
import { History } from './parts.js';
import { Outbox } from './outbox.js';
import { OFFLINE, openEvents, Refusal, request } from './server.js';
import * as view from './view.js';

const { button, element, examples, fillRow, followEnd, isNew, nothing, whyClosed, workRow } = view;

const PAGE = 50; // messages
const AGAIN_SECONDS = [1, 2, 4, 8];
const LATER_SECONDS = 15;
const ASLEEP_SECONDS = 30; // after which an open connection is not trusted
const STEADY_SECONDS = 0.5; // for which a button must have been in its place

const byId = Object.fromEntries(
  [...document.querySelectorAll('[id]')].map(each => [each.id, each])
);
const { chats, choice, closed, empty, form, log, older, problem, send, strip, title, work } = byId;
const { history: main, messages: list, text: field } = byId;

let offered = null; // what the person may use and do
let chat = null; // the one that is open
let account = null; // whose it is
let history = new History();
let outbox = null; // of the open chat
let rows = new Map(); // list items by the id of their message, or by the key of the person's own
let notes = new Map(); // results of presses, by message
let pressed = new Set(); // messages whose button was pressed

// reading

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

// the connection

let socket = null;
let failures = 0;
let timer = 0;

/** Listen first, then read, so that nothing is missed between both. */
function connect() {
  clearTimeout(timer);
  socket?.close();
  const mine = (socket = openEvents());
  mine.onopen = () =>
    refresh().then(
      () => {
        failures = 0;
        say('');
        outbox?.send();
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
  timer = setTimeout(connect, (AGAIN_SECONDS[failures] ?? LATER_SECONDS) * 1000);
  failures += 1;
  explain(error ?? {});
  if (!error) {
    request('GET', 'web-chats').catch(explain); // a browser does not tell why a socket was closed
  }
}

function explain(error) {
  say(error instanceof Refusal ? error.message : OFFLINE, error.status === 401);
  if (error.status === 401) {
    account = null; // what is shown was for whoever was logged in
    clear();
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
    strip.append(
      ' ',
      button('Log in', () => location.reload())
    );
  }
}

// which chat

function clear() {
  history = new History();
  [rows, notes, pressed] = [new Map(), new Map(), new Set()];
  list.replaceChildren();
  field.value = '';
}

function choose() {
  const wanted = location.hash.slice(1);
  const items = offered.items;
  const found = items.find(each => each.id === wanted) ?? (wanted ? undefined : items[0]);
  if (found?.id !== chat?.id || offered.account !== account) {
    ({ account } = offered);
    clear();
    log.setAttribute('aria-live', 'off');
    outbox = found ? outboxOf(found.id) : null;
    field.value = outbox?.draft ?? '';
    grow();
  }
  chat = found ?? null;
}

addEventListener('hashchange', () => refresh().catch(lose));
chats.addEventListener('change', () => (location.hash = chats.value));

// writing

function outboxOf(id) {
  const ifOpen = then => value => mine === outbox && then(value);
  const mine = new Outbox(`${account}/${id}`, id, {
    stored: ifOpen(message => {
      history.take([message]);
      show();
    }),
    refused: ifOpen(error => {
      field.value = mine.draft;
      problem.textContent = error.message;
      grow();
      show();
    }),
    lost: lose
  });
  return mine;
}

function write(text) {
  problem.textContent = '';
  outbox.add(text);
  show(true);
  outbox.send();
}

form.addEventListener('submit', event => {
  event.preventDefault();
  const text = field.value.trim();
  if (text && !field.disabled) {
    field.value = '';
    outbox.draft = '';
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
  outbox.keep({ draft: field.value });
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
    const page = await request(
      'GET',
      `web-chats/${id}/messages?limit=${PAGE}&cursor=${history.cursor}`
    );
    if (id === chat?.id) {
      history.takeOlder(page);
      show();
      main.scrollTop = main.scrollHeight - before;
    }
  } catch (error) {
    lose(error);
  }
});

// what is shown

const end = followEnd(main);

/** `isMine`: the person has written something, so the end is shown even if they have scrolled up. */
function show(isMine = false) {
  const wasAtEnd = end.isInView();
  outbox?.forget(key => history.has(key));
  showChoice();
  showMessages();
  showEmpty();
  showWork();
  if (isMine || wasAtEnd) {
    end.show();
  }
}

function showChoice() {
  const items = offered?.items ?? [];
  document.title = title.textContent = chat?.title ?? 'Web chat';
  choice.hidden = items.length < 2;
  const names = items.map(each => [each.title, each.id]);
  if (isNew(chats, names)) {
    chats.replaceChildren(...names.map(each => new Option(...each)));
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
  const waiting = (outbox?.unsent ?? []).map(each => ({
    ...each,
    id: each.key,
    sender: 'you',
    buttons: [],
    isUnsent: true
  }));
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
    fillRow(row, message, {
      isPressed: pressed.has(message.id),
      mayApprove: offered.may_approve,
      note: notes.get(message.id),
      press: (position, shownAt) => press(message, position, shownAt)
    });
    if (list.children[index] !== row) {
      list.insertBefore(row, list.children[index] ?? null);
    }
  });
  log.setAttribute('aria-live', 'polite'); // not for what was there before
}

const nameOf = message => message.key || message.id;

function showEmpty() {
  const isEmpty = !chat || (history.byId.size === 0 && outbox.unsent.length === 0);
  const isOpen = chat?.state === 'connected' && offered.may_ask;
  empty.hidden = !isEmpty;
  form.hidden = !chat;
  closed.textContent = isOpen || !chat ? '' : whyClosed(chat.state);
  if (isNew(empty, [chat, isOpen, offered.items[0]?.id])) {
    const other = id => (location.hash = id);
    const parts = chat ? examples(chat.agent, write) : nothing(offered.items[0]?.id, other);
    empty.replaceChildren(...(chat && !isOpen ? [] : parts));
  }
}

function showWork() {
  const agents = chat?.state === 'connected' ? history.working : [];
  const waits = agents.length === 1 && history.asks;
  if (isNew(work, [agents, waits])) {
    const cancel = agent => write(`/cancel @${agent}`);
    work.replaceChildren(...agents.map(agent => workRow(agent, waits, cancel)));
  }
}

connect();
