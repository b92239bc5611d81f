/**
 * What a person has written in one chat and the server has not stored yet, and the text in the field. Both survive a
 * reload of the page, in the storage of the tab.
 */
import { Refusal, request } from './server.js';

export class Outbox {
  /** `name`: of the place where it is kept. `on`: `stored(message)`; `refused(error)`, with the text in `draft` again; `lost(error)`: it is sent later. */
  constructor(name, chatId, on) {
    this.place = `cabinet-chat/${name}`;
    this.path = `web-chats/${chatId}/messages`;
    this.on = on;
    this.isSending = false;
    const kept = JSON.parse(sessionStorage.getItem(this.place) ?? '{}');
    /** `{ key, text }` of each message, in order. */
    this.unsent = kept.unsent ?? [];
    this.draft = kept.draft ?? '';
  }

  keep(changes) {
    Object.assign(this, changes);
    const { draft, unsent } = this;
    sessionStorage.setItem(this.place, JSON.stringify({ draft, unsent }));
  }

  /** The key makes the server store it once, however often it is sent. */
  add(text) {
    const random = [...crypto.getRandomValues(new Uint32Array(4))];
    const key = random.map(each => each.toString(36)).join('-');
    this.keep({ unsent: [...this.unsent, { key, text }] });
  }

  forget(isStored) {
    this.keep({ unsent: this.unsent.filter(each => !isStored(each.key)) });
  }

  /** Send what waits, in order. */
  async send() {
    if (this.isSending) {
      return;
    }
    this.isSending = true;
    try {
      while (this.unsent.length) {
        const [{ key, text }] = this.unsent;
        const stored = await request('POST', this.path, { key, text });
        this.forget(each => each === key);
        this.on.stored(stored);
      }
    } catch (error) {
      if (error instanceof Refusal && error.status !== 401) {
        const texts = [...this.unsent.map(each => each.text), this.draft].filter(Boolean);
        this.keep({ unsent: [], draft: texts.join('\n') });
        this.on.refused(error);
      } else {
        this.on.lost(error);
      }
    } finally {
      this.isSending = false;
    }
  }
}
