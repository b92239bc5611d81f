/**
 * The session that the editor shows: its runs, which of them is shown, and whether its CLI is open.
 */
import type { Run, SessionDetail } from '../../api/types';
import { isFinal, isWorking } from '../../runs';
import { Store } from '../../shared/store';
import { agentOf } from './document';

/** Knows one session at most. It reads nothing by itself: a subclass tells what was read. */
export abstract class ShownSession extends Store {
  /** Null where the history or an empty panel is shown. */
  detail: SessionDetail | null = null;

  get runs(): Run[] {
    return this.detail?.runs ?? [];
  }

  /** The run that is shown: the one that works, else the newest one, or the one somebody went back to. */
  get run(): Run | null {
    const { pages } = this;
    const chosen = pages.find(run => run.id === this.selected);
    return chosen ?? this.activeRun ?? pages[pages.length - 1] ?? null;
  }

  /** The runs that can be shown, oldest first: all but those that wait behind another one. */
  get pages(): Run[] {
    const waiting = new Set(this.queue);
    return this.runs.filter(run => !waiting.has(run));
  }

  /** Position of the shown run among `pages`, from 0. */
  get index(): number {
    return this.run ? this.pages.indexOf(this.run) : -1;
  }

  /** The run that works, else the one that goes next. */
  get activeRun(): Run | null {
    return this.runs.find(isWorking) ?? this._inLine[0] ?? null;
  }

  /** The runs that wait behind the active one, in their order. */
  get queue(): Run[] {
    const { activeRun } = this;
    return this._inLine.filter(run => run !== activeRun);
  }

  private get _inLine(): Run[] {
    const queued = this.runs.filter(run => run.state === 'queued');
    return queued.sort((a, b) => b.ahead - a.ahead || a.number - b.number);
  }

  /** The named agent that the session is with; null where it is with a CLI. */
  get agent(): string | null {
    return this.detail && agentOf(this.detail.session);
  }

  /** The open terminal of the session; null where its program is closed. */
  get terminalId(): string | null {
    return this.detail?.session.terminal_id ?? null;
  }

  /** Oldest first. */
  get instructions(): string[] {
    return this.runs.map(run => run.instruction);
  }

  /** Look at the run at this position of `pages`, from 0. */
  select(index: number): void {
    this.selected = this.pages[index]?.id ?? null;
    this.tell();
  }

  /** A run has a new state: where it is one of the session's, it is shown so. */
  protected follow(run: Run): void {
    const { detail } = this;
    if (!detail || detail.session.id !== run.session_id) {
      return;
    }
    const known = detail.runs.some(other => other.id === run.id);
    if (!known) {
      this.selected = null; // a new instruction, perhaps typed into the CLI: show it
    }
    const runs = known
      ? detail.runs.map(other => (other.id === run.id ? run : other))
      : [...detail.runs, run];
    const terminal_id = isFinal(run)
      ? detail.session.terminal_id
      : (run.terminal_id ?? detail.session.terminal_id);
    this.detail = { session: { ...detail.session, terminal_id }, runs };
    this.tell();
  }

  /** The program of a session was closed. */
  protected closeTerminal(sessionId: string): void {
    if (this.detail?.session.id === sessionId) {
      const session = { ...this.detail.session, terminal_id: null };
      this.detail = { ...this.detail, session };
      this.tell();
    }
  }

  /** The id of the run somebody went back to; null for the newest. */
  protected selected: string | null = null;
}
