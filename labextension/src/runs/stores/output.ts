/**
 * One run's events as a person reads them: whole texts, tool calls with their results, questions.
 * The folding is a pure function of what came; `OutputStore` feeds it from the stream.
 */
import type { CabinetClient } from '../../api/client';
import { OutputStream, type IOutput } from '../../api/output';
import type { Usage } from '../../api/types';
import { Store } from '../../shared/store';

/**
 * One line of the list of events. `key` is its place, from 0, and never changes; `at` is in seconds since
 * the run’s start.
 */
export type Row = { key: number; at: number } & (
  | { kind: 'started'; version: string | null; model: string | null }
  | { kind: 'text'; text: string; open: boolean }
  | { kind: 'thinking'; text: string }
  | {
      kind: 'tool';
      callId: string;
      tool: string;
      summary: string;
      input: Record<string, unknown>;
      result: { text: string; isError: boolean } | null;
      /** What was asked before it was done. */
      questionId: string | null;
    }
  | {
      kind: 'question';
      questionId: string;
      tool: string;
      question: string;
      answered: boolean;
    }
  | { kind: 'prompt'; text: string }
  | {
      kind: 'retry';
      attempt: number;
      of: number | null;
      inSeconds: number | null;
      reason: string;
    }
  | { kind: 'warning'; message: string }
);

/** All that came so far. */
export interface IFolded {
  rows: readonly Row[];
  usage: Usage | null;
}

/** Before the first event. */
export const NOTHING: IFolded = { rows: [], usage: null };

/** The state after one more event. Never changes the state it is given; unknown events change nothing. */
export function fold(state: IFolded, { at, event }: IOutput): IFolded {
  const { rows } = state;
  const add = (row: NewRow) => ({
    ...state,
    rows: [...rows, { ...row, key: rows.length, at } as Row]
  });
  const last = rows[rows.length - 1];
  switch (event.type) {
    case 'SessionStarted':
      return add({
        kind: 'started',
        version: event.version,
        model: event.model
      });
    case 'TextDelta':
      return last?.kind === 'text' && last.open
        ? replace(state, last, { text: last.text + event.text })
        : add({ kind: 'text', text: event.text, open: true });
    case 'TextBlock': {
      // The block is the whole of what came piece by piece before it.
      const draft = [...rows].reverse().find(row => row.kind === 'text' && row.open);
      return draft
        ? replace(state, draft, { text: event.text, open: false })
        : add({ kind: 'text', text: event.text, open: false });
    }
    case 'Thinking':
      return add({ kind: 'thinking', text: event.text });
    case 'ToolCall':
      return add({
        kind: 'tool',
        callId: event.call_id,
        tool: event.tool,
        summary: event.summary,
        input: event.input,
        result: null,
        questionId: askedBefore(rows, event.tool)
      });
    case 'ToolResult': {
      const call = [...rows].reverse().find(r => r.kind === 'tool' && r.callId === event.call_id);
      const result = { text: event.text, isError: event.is_error };
      return call ? replace(state, call, { result }) : state;
    }
    case 'QuestionAsked': {
      const { question, question_id: questionId, tool } = event;
      const asks = [...rows]
        .reverse()
        .find(r => r.kind === 'tool' && r.tool === tool && !r.result && r.questionId === null);
      const known = asks ? replace(state, asks, { questionId }) : state;
      const row = { kind: 'question', questionId, tool, question, answered: false } as const;
      return { ...known, rows: [...known.rows, { ...row, key: rows.length, at }] };
    }
    case 'QuestionAnswered': {
      const asked = rows.find(r => r.kind === 'question' && r.questionId === event.question_id);
      return asked ? replace(state, asked, { answered: true }) : state;
    }
    case 'PromptSubmitted':
      return add({ kind: 'prompt', text: event.text });
    case 'Retrying':
      return add({
        kind: 'retry',
        attempt: event.attempt,
        of: event.max_attempts,
        inSeconds: event.delay_seconds,
        reason: event.reason
      });
    case 'UsageReported':
      return { ...state, usage: event.usage };
    case 'Warned':
      return add({ kind: 'warning', message: event.message });
    case 'AnswerFinished': {
      const told = [...rows].reverse().find(row => row.kind === 'text');
      return !event.text || (told?.kind === 'text' && told.text.trim() === event.text.trim())
        ? state // as a rule it repeats the last text
        : add({ kind: 'text', text: event.text, open: false });
    }
    default: // newer than this page
      return state;
  }
}

/** Some CLIs ask for a tool before they report the call. */
function askedBefore(rows: readonly Row[], tool: string): string | null {
  const taken = new Set(rows.map(row => row.kind === 'tool' && row.questionId));
  const asked = rows.find(
    row => row.kind === 'question' && row.tool === tool && !taken.has(row.questionId)
  );
  return asked?.kind === 'question' ? asked.questionId : null;
}

type NewRow = Row extends infer R ? (R extends Row ? Omit<R, 'key' | 'at'> : never) : never;

function replace(state: IFolded, old: Row, change: object): IFolded {
  const rows = [...state.rows];
  rows[old.key] = { ...old, ...change } as Row;
  return { ...state, rows };
}

/** `folded` grows while the run works; `ended` after its last event. */
export class OutputStore extends Store {
  constructor(
    client: CabinetClient,
    readonly runId: string
  ) {
    super();
    this._stream = new OutputStream(client, runId);
    this._stream.said.connect(this._onSaid, this);
    this._stream.ended.connect(this._onEnded, this);
    this._stream.open();
  }

  folded: IFolded = NOTHING;
  ended = false;

  override dispose(): void {
    this._stream.dispose();
    super.dispose();
  }

  private _onSaid(_: OutputStream, output: IOutput): void {
    this.folded = fold(this.folded, output);
    this.tell();
  }

  private _onEnded(): void {
    this.ended = true;
    this.tell();
  }

  private readonly _stream: OutputStream;
}
