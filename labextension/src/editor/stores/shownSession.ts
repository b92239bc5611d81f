/**
 * The session that the editor shows: its runs, which of them is looked at, and whether its program is open.
 */
import type { Run, SessionDetail } from '../../api/types';
import { isFinal } from '../../runs';
import { Store } from '../../shared/store';
import { agentOf } from './document';

/** Knows one session at most. It reads nothing by itself: a subclass tells what was read. */
export abstract class ShownSession extends Store {
  /** Null where the history or an empty panel is shown. */
  detail: SessionDetail | null = null;

  get runs(): Run[] {
    return this.detail?.runs ?? [];
  }

  /** The run that is shown: the newest one, or the one somebody went back to. */
  get run(): Run | null {
    const { runs } = this;
    return runs.find(run => run.id === this.selected) ?? runs[runs.length - 1] ?? null;
  }

  /** Position of the shown run among the session's, from 0. */
  get index(): number {
    return this.run ? this.runs.indexOf(this.run) : -1;
  }

  get activeRun(): Run | null {
    return this.runs.find(run => !isFinal(run)) ?? null;
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

  /** Look at the run at this position, from 0. */
  select(index: number): void {
    this.selected = this.runs[index]?.id ?? null;
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
