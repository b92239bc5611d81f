/**
 * The values of the wire, as `jupyter_cabinet`'s structs have them.
 * Not a second truth: the structs are; these names stand for what the server sends.
 */

export type RunState =
  | 'queued'
  | 'starting'
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'cancelled'
  | 'interrupted'
  | 'skipped';

export type PermissionMode = 'ask' | 'edit' | 'bypass';
export type RunMode = 'terminal' | 'headless';
export type AgentState = 'running' | 'waiting' | 'paused' | 'ending' | 'stopped';
export type ScreenSource = 'shell' | 'agent';

export interface Person {
  username: string;
  display_name: string;
}

export interface Size {
  cols: number;
  rows: number;
}

export interface Failure {
  kind: string;
  message: string;
  retry_helps: boolean;
  retry_after_seconds: number | null;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
}

export interface Attachment {
  kind: 'cell' | 'selection' | 'error';
  title: string;
  text: string;
}

export interface NewRun {
  kind: 'manual' | 'editor';
  instruction: string;
  session_id?: string;
  path?: string;
  runtime?: string;
  model?: string;
  permission_mode?: PermissionMode;
  mode?: RunMode;
  cwd?: string;
  attachments?: Attachment[];
  cols?: number;
  rows?: number;
}

export interface Trigger extends Person {
  kind: 'person' | 'program' | 'terminal';
}

/** Times are ISO 8601 with `Z`, durations seconds, `cost_usd: null` is "unknown". */
export interface Run {
  id: string;
  kind: 'manual' | 'editor';
  state: RunState;
  reason: string;
  failure: Failure | null;
  instruction: string;
  path: string | null;
  cwd: string;
  runtime: string;
  runtime_title: string;
  model: string | null;
  permission_mode: PermissionMode;
  mode: RunMode;
  session_id: string;
  terminal_id: string | null;
  trigger: Trigger;
  owner: string;
  visibility: 'private' | 'server';
  isolated: boolean;
  attempt: number;
  position: number | null;
  result: { text: string } | null;
  usage: Usage | null;
  cost_usd: number | null;
  warnings: string[];
  queued_at: string;
  started_at: string | null;
  finished_at: string | null;
  duration_seconds: number | null;
}

export interface Session {
  id: string;
  path: string;
  title: string;
  runtime: string;
  native_id: string | null;
  owner: string;
  visibility: 'private' | 'server';
  terminal_id: string | null;
  created_at: string;
  updated_at: string;
}

export interface SessionRow {
  session: Session;
  last_run: Run | null;
  runs: number;
}

export interface SessionDetail {
  session: Session;
  runs: Run[];
}

export interface Capabilities {
  interactive: boolean;
  headless: boolean;
  cost: boolean;
  permission_modes: PermissionMode[];
  models: string[];
}

export interface RuntimeRow {
  name: string;
  title: string;
  docs: string;
  install: string;
  login_hint: string;
  found: boolean;
  reason: string | null;
  path: string | null;
  version: string | null;
  login: 'yes' | 'no' | 'unknown';
  capabilities: Capabilities | null;
  is_default: boolean;
}

export interface Health {
  version: string;
  root: string;
  trusted: boolean;
  default_runtime: { name: string; title: string } | null;
  demo: boolean;
  collaboration: boolean;
  you: Person & { may_run: boolean; in_browser: boolean };
}

export interface Trust {
  root: string;
  confirmed: boolean;
  hash: string;
  policy: 'ask' | 'always';
}

export interface Mention {
  kind: 'file';
  path: string;
  title: string;
  size: number;
  note: string;
}

export interface Terminal {
  id: string;
  name: string;
  agent_title: string | null;
  agent_state: AgentState | null;
  controller: Person | null;
  size: Size;
  cwd: string;
  created_at: string;
  exited: boolean;
}

export interface List<T> {
  items: T[];
  next: string | null;
}

/** What a CLI says while it works (`runtimes/model.py`). */
export type AgentEvent =
  | { type: 'SessionStarted'; native_id: string; model: string | null; version: string | null }
  | { type: 'TextDelta'; text: string }
  | { type: 'TextBlock'; text: string }
  | { type: 'Thinking'; text: string }
  | {
      type: 'ToolCall';
      call_id: string;
      tool: string;
      summary: string;
      input: Record<string, unknown>;
    }
  | { type: 'ToolResult'; call_id: string; text: string; is_error: boolean }
  | {
      type: 'PermissionAsked';
      question_id: string;
      question: string;
      options: string[];
      in_terminal: boolean;
    }
  | { type: 'PermissionAnswered'; question_id: string }
  | { type: 'PromptSubmitted'; text: string }
  | {
      type: 'Retrying';
      attempt: number;
      max_attempts: number | null;
      delay_seconds: number | null;
      reason: string;
    }
  | { type: 'UsageReported'; usage: Usage; cost_usd: number | null }
  | { type: 'Warned'; message: string }
  | { type: 'AnswerFinished'; text: string };

export type OutputFrame =
  { type: 'output'; index: number; at: number; event: AgentEvent } | { type: 'end' };

/** What the event stream tells that the interface uses; other types are passed over. */
export type CabinetEvent =
  | {
      type:
        | 'run_queued'
        | 'run_started'
        | 'run_waiting'
        | 'run_resumed'
        | 'run_updated'
        | 'run_finished';
      run: Run;
    }
  | { type: 'session_closed'; session_id: string; reason: string };

export type EventFrame =
  | { type: 'hello'; seq: number }
  | { type: 'reset'; seq: number }
  | { type: 'event'; seq: number; time: string; event: { type: string } };
