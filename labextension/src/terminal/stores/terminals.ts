/**
 * The terminals of the server that this person may see, kept up by the event stream.
 * One terminal's screen and turn in detail are in `terminalStore.ts`.
 */
import { Signal, type ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, NewTerminal, Terminal } from '../../api/types';
import { Store } from '../../shared/store';
import { agentStateWord, firstName } from './labels';
import { visible } from '../../shared/untrusted';

export class TerminalListStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super();
    events.happened.connect(this._onEvent, this);
    events.reset.connect(() => void this.load());
    events.channel.statusChanged.connect((_, status) => {
      if (status === 'open') {
        void this.load();
      }
    });
  }

  readonly recordingClosed: ISignal<this, string> = new Signal<this, string>(this);

  /** Oldest first; those whose program has ended stay for a while. */
  get items(): Terminal[] {
    return [...this._terminals.values()];
  }

  get(id: string): Terminal | undefined {
    return this._terminals.get(id);
  }

  /** Read the list anew; where that fails what is known stays. */
  async load(): Promise<void> {
    const list = await this._client.terminals().catch(() => null);
    if (list) {
      this._terminals = new Map(list.items.map(terminal => [terminal.id, terminal]));
      this.tell();
    }
  }

  async open(wanted: NewTerminal): Promise<Terminal> {
    const terminal = await this._client.openTerminal(wanted);
    this._terminals.set(terminal.id, terminal);
    this.tell();
    return terminal;
  }

  async close(id: string): Promise<void> {
    await this._client.closeTerminal(id);
    this._terminals.delete(id);
    this.tell();
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const known = event as CabinetEvent;
    switch (known.type) {
      case 'terminal_opened':
      case 'terminal_changed':
        this._terminals.set(known.terminal.id, known.terminal);
        break;
      case 'terminal_closed':
        this._terminals.delete(known.terminal_id);
        break;
      case 'turn_changed': {
        const found = this._terminals.get(known.terminal_id);
        if (found) {
          this._terminals.set(found.id, { ...found, controller: known.controller });
        }
        break;
      }
      case 'recording_closed':
        (this.recordingClosed as Signal<this, string>).emit(known.recording.id);
        return;
      default:
        return;
    }
    this.tell();
  }

  private _terminals = new Map<string, Terminal>();
}

/** "You control, Claude Code running". */
export function terminalSummary(
  terminal: Terminal,
  username: string | null,
  trans: TranslationBundle
): string {
  const { controller } = terminal;
  const who = !controller
    ? trans.__('Nobody controls')
    : controller.username === username
      ? trans.__('You control')
      : trans.__('%1 controls', firstName(controller));
  if (terminal.exited) {
    return trans.__('Ended');
  }
  return terminal.agent_state
    ? trans.__(
        '%1, %2 %3',
        who,
        visible(terminal.agent_title ?? trans.__('an agent')),
        agentStateWord(terminal.agent_state, trans)
      )
    : who;
}
