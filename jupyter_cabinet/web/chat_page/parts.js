/**
 * What the page does without its document: the code blocks and marks of a text, and the messages that it knows. Pure.
 */

const OPENING = /^ {0,3}(`{3,}|~{3,})[ \t]*([\p{L}\p{N}_+#.-]{0,40})([^\n`]*)$/u;

/**
 * The parts of a text: `{ text, isCode }`, as `channels/rules/code_blocks.py` finds them. Nothing is left out but
 * fences and what has no visible character.
 */
export function segments(text) {
  const found = [];
  let lines = [];
  let marks = '';
  let language = '';
  const end = () => {
    const joined = lines.join('\n');
    if (!marks) {
      if (lines.length) {
        found.push({ text: joined, isCode: false });
      }
    } else if (joined.trim()) {
      found.push({ text: joined, isCode: true });
    } else if (language) {
      found.push({ text: language, isCode: false });
    }
  };
  for (const line of text.split('\n')) {
    const opening = OPENING.exec(line);
    if (!marks && opening) {
      end();
      [, marks, language] = opening;
      lines = opening[3].trim() ? [opening[3].trim()] : [];
    } else if (marks && closes(line, marks)) {
      end();
      [marks, lines] = ['', []];
    } else {
      lines.push(line);
    }
  }
  end();
  return found;
}

function closes(line, marks) {
  const stripped = line.trim();
  const isFence = stripped.length >= marks.length && [...stripped].every(each => each === marks[0]);
  return isFence && !line.startsWith('    ');
}

// With limits, so that a long line of marks takes no time: code, a link with its text, bold, italic, an address.
const MARKS =
  /`([^`\n]{1,2000})`|\[([^\]\n]{1,300})\]\((https?:\/\/[^\s)]{1,2000})\)|\*\*([^*\n]{1,2000})\*\*|\*([^*\s][^*\n]{0,2000})\*|(https?:\/\/[^\s<>"'`)\]]{1,2000})/gu;

/**
 * The pieces of a text without code blocks: `[element, text]`, with an empty element for plain text. Of Markdown it
 * knows headings, lists, bold, italic, code and links, whose address is always shown.
 */
export function marked(text) {
  const found = [];
  const plain = text
    .replace(/^ {0,3}#{1,6} +([^*\n]+)$/gmu, '**$1**')
    .replace(/^( *)[-*+] /gmu, '$1• ');
  let end = 0;
  for (const match of plain.matchAll(MARKS)) {
    const [all, code, label, target, bold, italic, address] = match;
    found.push(['', plain.slice(end, match.index) + (label ? `${label} (` : '')]);
    end = match.index + all.length;
    const name = code ? 'code' : bold ? 'strong' : italic ? 'em' : 'a';
    found.push([name, code ?? bold ?? italic ?? target ?? address], ['', label ? ')' : '']);
  }
  return [...found, ['', plain.slice(end)]].filter(([, piece]) => piece);
}

/**
 * The messages of a conversation, in order. It is filled by pages of the server, newest first.
 */
export class History {
  constructor() {
    this.byId = new Map();
    /** Where the messages before these begin; null: there are none. */
    this.cursor = null;
  }

  get messages() {
    return [...this.byId.values()].sort((a, b) => a.number - b.number);
  }

  /** Take the newest page. If others are missing before it, forget what is older: it can be loaded again. */
  takeNewest({ items, next }) {
    const isConnected = next === null || items.some(each => this.byId.has(each.id));
    if (!isConnected || this.byId.size === 0) {
      this.byId.clear();
      this.cursor = next;
    }
    this.take(items);
  }

  /** Take the page before the oldest. */
  takeOlder({ items, next }) {
    this.cursor = next;
    this.take(items);
  }

  take(items) {
    for (const each of items) {
      this.byId.set(each.id, each);
    }
  }

  has(key) {
    return this.messages.some(each => each.key === key);
  }

  /** The agents that work on messages of this conversation; an empty name: not known yet. */
  get working() {
    const unfinished = this.messages.filter(
      each => each.sender === 'you' && each.state === 'working'
    );
    return [...new Set(unfinished.map(each => each.agent))];
  }

  /** Whether an agent waits for an answer. */
  get asks() {
    return this.messages.some(each => each.buttons.length > 0);
  }
}
