/**
 * The terminals of the server that this person may see, kept up by the event stream.
 * One terminal's screen and turn in detail are in `terminalStore.ts`.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { ApiError, type CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, NewTerminal, Run, StartAgent, Terminal } from '../../api/types';
import { naturally } from '../../shared/naturalOrder';
import { Store } from '../../shared/store';
import type { IScreen, TerminalStore } from './terminal';
import { agentStateWord, firstName } from './labels';
import { visible } from '../../shared/untrusted';

/** What a person does to a terminal goes through it too; it rejects where the server refuses. */
export class TerminalListStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream,
    /** Whether we see what is private to this user. */
    private readonly _seesPrivate: (owner: string) => boolean
  ) {
    super();
    events.happened.connect(this._onEvent, this);
    events.onMissed(() => void this.load());
  }

  /** In the natural order of their names; those whose program has ended stay for a while. */
  get items(): Terminal[] {
    return [...this._terminals.values()].sort((a, b) => naturally(a.name, b.name));
  }

  get(id: string): Terminal | undefined {
    return this._terminals.get(id);
  }

  /** Read the list again; if that fails, the known one is kept. */
  async load(): Promise<void> {
    const list = await this._client.terminals().catch(() => null);
    if (list) {
      this._terminals = new Map(list.items.map(terminal => [terminal.id, terminal]));
      this.tell();
    }
  }

  /** Whether the server knows no such terminal. False where it cannot be asked. */
  isGone(id: string): Promise<boolean> {
    return this._client.terminal(id).then(
      () => false,
      (reason: unknown) => reason instanceof ApiError && reason.status === 404
    );
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

  /** The connection of one viewer to a terminal, which may be unknown here. It opens on request. */
  async connect(id: string, screen: IScreen): Promise<TerminalStore> {
    const { TerminalStore } = await import(/* webpackChunkName: "terminal-screen" */ './terminal');
    return new TerminalStore(this._client, id, screen);
  }

  startAgent(id: string, wanted: StartAgent): Promise<Run> {
    return this._client.startAgent(id, wanted);
  }

  /** Resolves when every process of the agent is suspended, continues, or has ended. */
  async steerAgent(id: string, verb: 'pause' | 'resume' | 'stop'): Promise<void> {
    await this._client.steerAgent(id, verb);
  }

  /** Share it with everyone who may view terminals, or make it private. */
  async setVisibility(id: string, visibility: Terminal['visibility']): Promise<void> {
    this._terminals.set(id, await this._client.changeTerminal(id, { visibility }));
    this.tell();
  }

  async setRecording(id: string, on: boolean): Promise<void> {
    await this._client.setRecording(id, on);
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
      case 'terminal_hidden':
        if (this._seesPrivate(known.owner)) {
          return; // the change follows
        }
        this._terminals.delete(known.terminal_id);
        break;
      case 'turn_changed': {
        const found = this._terminals.get(known.terminal_id);
        if (found) {
          this._terminals.set(found.id, { ...found, controller: known.controller });
        }
        break;
      }
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
