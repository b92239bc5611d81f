/**
 * Short names for the generated types of the wire (`schema.ts`), which come from the server's structs.
 * Nothing is defined here but what the generator cannot say.
 */
import type { components } from './schema';

type Schemas = components['schemas'];

/** A request may leave out what has a default. */
type Request<T, Required extends keyof T> = Pick<T, Required> & Partial<T>;

export type Run = Schemas['Run'];
export type RunState = Run['state'];
export type PermissionMode = Run['permission_mode'];
export type NewRun = Request<Schemas['NewRun'], 'instruction'>;
export type Attachment = Schemas['Attachment'];
export type Usage = Schemas['Usage'];

export type Session = Schemas['Session'];
export type SessionRow = Schemas['SessionSummary'];
export type SessionDetail = Schemas['SessionDetail'];
export type OpenSession = Request<Schemas['OpenSession'], 'path'>;
export type Mention = Schemas['Mention'];

export type Health = Schemas['Health'];
export type RuntimeRow = Schemas['RuntimeEntry'];
export type LastError = Schemas['LastError'];
export type Capabilities = Schemas['Capabilities'];

export type Approval = Schemas['Approval'];
export type ApprovalItem = Schemas['ApprovalItem'];
export type AnswerOption = Schemas['AnswerOption'];
export type NewAnswer = Request<Schemas['NewAnswer'], 'option'>;
export type Trust = Schemas['TrustState'];

export type Person = Schemas['Person'];
export type Size = Schemas['Size'];
export type Terminal = Schemas['Terminal'];
export type AgentState = NonNullable<Terminal['agent_state']>;
export type ScreenSource = Schemas['Replay']['source'];
export type NewTerminal = Partial<Schemas['NewTerminal']>;
export type StartAgent = Partial<Schemas['StartAgent']>;
export type Recording = Schemas['Recording'];

export interface List<T> {
  items: T[];
  next: string | null;
}

/** What a CLI says while it works. */
export type AgentEvent =
  | Schemas['SessionStarted']
  | Schemas['TextDelta']
  | Schemas['TextBlock']
  | Schemas['Thinking']
  | (Omit<Schemas['ToolCall'], 'input'> & { input: Record<string, unknown> })
  | Schemas['ToolResult']
  | Schemas['QuestionAsked']
  | Schemas['QuestionAnswered']
  | Schemas['PromptSubmitted']
  | Schemas['Retrying']
  | Schemas['UsageReported']
  | Schemas['Warned']
  | Schemas['AnswerFinished'];

export type OutputFrame =
  (Omit<Schemas['OutputRecord'], 'event'> & { event: AgentEvent }) | Schemas['OutputEnd'];

/** The events the interface uses; other types are passed over. */
export type CabinetEvent =
  | Schemas['RunQueued']
  | Schemas['RunStarted']
  | Schemas['RunWaiting']
  | Schemas['RunResumed']
  | Schemas['RunUpdated']
  | Schemas['RunFinished']
  | Schemas['SessionClosed']
  | Schemas['ApprovalRequested']
  | Schemas['ApprovalClosed']
  | Schemas['TerminalOpened']
  | Schemas['TerminalChanged']
  | Schemas['TerminalClosed']
  | Schemas['TurnChanged']
  | Schemas['RecordingClosed'];

export type EventFrame =
  | Schemas['EventsHello']
  | Schemas['EventsReset']
  | (Omit<Schemas['EventFrame'], 'event'> & { event: { type: string } });
