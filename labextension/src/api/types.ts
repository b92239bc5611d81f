/**
 * Short names for the generated types of the wire (`schema.ts`), which come from the server's structs.
 * Nothing is defined here but what the generator cannot say.
 */
import type { components, paths } from './schema';

type Schemas = components['schemas'];

/** A request may leave out what has a default. */
type Request<T, Required extends keyof T> = Pick<T, Required> & Partial<T>;

export type Run = Schemas['Run'];
export type RunState = Run['state'];
export type PermissionMode = Run['permission_mode'];
/** What is left out the server decides. */
export type NewRun =
  | Request<Schemas['NewEditorRun'], 'kind' | 'instruction'>
  | Request<Schemas['NewCellRun'], 'kind' | 'instruction' | 'notebook'>
  | Request<Schemas['NewManualRun'], 'kind' | 'instruction'>
  | Request<Schemas['NewMessageRun'], 'kind' | 'agent' | 'instruction'>;
export type Attachment = Schemas['Attachment'];
export type Usage = Schemas['Usage'];

export type Session = Schemas['Session'];
export type SessionRow = Schemas['SessionSummary'];
export type SessionDetail = Schemas['SessionDetail'];
export type OpenSession = Request<Schemas['OpenSession'], 'path'>;
export type Mention = Schemas['Mention'];

export type Health = Schemas['Health'];
export type RunnerName = Schemas['Where']['runner'];
export type SandboxRecord = Schemas['SandboxRecord'];
export type RuntimeRow = Schemas['RuntimeEntry'];
export type LastError = Schemas['LastError'];
export type Capabilities = Schemas['Capabilities'];

export type Approval = Schemas['Approval'];
export type ApprovalItem = Schemas['ApprovalItem'];
/** A proposed soul or a skill that waits for a person. */
export type Review = Schemas['Review'];
export type AnswerOption = Schemas['AnswerOption'];
export type NewAnswer = Request<Schemas['NewAnswer'], 'option'>;
export type ApprovalRule = Schemas['ApprovalRule'];
export type RuleList = Schemas['RuleList'];
export type NewRule = Request<Schemas['NewRule'], 'effect' | 'action'>;
export type Explain = Request<Schemas['Explain'], 'asks'>;
export type RuleDecision = Schemas['Decision'];
export type ActivityEntry = Schemas['ActivityEntry'];
export type ActivityRequest = Schemas['ActivityRequest'];
export type ActivityQuery = NonNullable<
  paths['/cabinet/api/activity']['get']['parameters']['query']
>;
export type Changes = Schemas['Changes'];
export type KeptChanges = Schemas['Kept'];
export type ChangedFile = Schemas['ChangedFile'];
export type ChangeCounts = Schemas['ChangeCounts'];
export type FileDiff = Schemas['FileDiff'];
export type Decide = Request<Schemas['Decide'], 'decision'>;
export type Trust = Schemas['TrustState'];

export type AgentRow = Schemas['AgentView'];
export type LastRun = Schemas['LastRun'];
export type AgentList = Schemas['AgentList'];
export type PutAwayAgent = Schemas['PutAwayAgent'];
export type AgentTemplate = Schemas['Template'];
/** Fields of the persona are those of its front matter, which the generator does not say. */
export type NewAgent = Omit<Request<Schemas['NewAgent'], 'slug' | 'template'>, 'fields'> & {
  fields?: Record<string, unknown>;
};
/** Whether work is paused on the whole root directory. */
export type WorkSwitch = Schemas['Switch'];
/** `fields` of its front matter are any JSON, which the generator does not say. */
export type AgentDetail = Omit<Schemas['AgentDetail'], 'fields'> & {
  fields: Record<string, unknown>;
};
export type Effect = Schemas['EffectReport'];
export type Inbox = Schemas['Inbox'];
export type Message = Schemas['Message'];
export type Task = Schemas['Task'];
export type TaskList = Schemas['Tasks'];
export type NewTask = Request<Schemas['NewTask'], 'title'>;
export type Tick = Schemas['Tick'];
export type SoulProposal = Schemas['SoulProposal'];
export type SoulDecision = Request<Schemas['DecideSoul'], 'decision' | 'hash'>;

export type AgentHistory = Schemas['AgentHistory'];
export type EarlierHeartbeat = Schemas['EarlierHeartbeat'];
export type AgentFileInfo = Schemas['FileInfo'];
export type AgentFile = Schemas['AgentFileContent'];
export type ProtocolFile = Schemas['ProtocolFile'];
export type MemoryMatch = Schemas['MemoryMatch'];
export type MemoryMatches = Schemas['MemoryMatches'];
export type FileVersion = Schemas['FileVersion'];
export type FileVersionText = Schemas['VersionText'];
export type SentPrompt = Schemas['SentPrompt'];
export type PlayLine = Schemas['PlayLine'];
export type Goal = Schemas['GoalView'];
export type PlayList = Schemas['PlayList'];
export type PlayRow = Schemas['PlayView'];
export type PlayDetail = Schemas['PlayDetail'];
export type Difference = Schemas['Difference'];

/** A conversation as an agent CLI keeps it on disk. */
export type CliSession = Schemas['CliSession'];
export type CliSessionPage = Schemas['CliSessionPage'];
export type CliSessionQuery = NonNullable<
  paths['/cabinet/api/sessions']['get']['parameters']['query']
>;
export type ProjectList = Schemas['ProjectList'];
export type Project = Schemas['Project'];
export type SessionMarks = Schemas['SessionMarks'];
export type SessionPatch = Partial<Schemas['SessionPatch']>;
export type NextPrompts = Schemas['NextPrompts'];
export type ContinueSession = Request<Schemas['ContinueSession'], 'instruction'>;
export type Finding = Schemas['Finding'];
/** The server leaves out what has its default value. */
export type TimelineEntry = Request<Schemas['TimelineEntry'], 'id' | 'place' | 'kind'>;
export type RequestedAction = NonNullable<TimelineEntry['action']>;
export type Timeline = Omit<Schemas['Timeline'], 'items'> & { items: TimelineEntry[] };
export type TimelineQuery = NonNullable<
  paths['/cabinet/api/sessions/{id}/timeline']['get']['parameters']['query']
>;
export type TimelineMatches = Schemas['TimelineMatches'];
export type TimelineMatchesQuery = NonNullable<
  paths['/cabinet/api/sessions/{id}/matches']['get']['parameters']['query']
>;
/** What people add to an entry. */
export type EntryMark = Schemas['EntryMark'];
export type EntryPatch = Schemas['EntryPatch'];
export type MarkedEntry = Schemas['MarkedEntry'];
export type UsageRow = Schemas['UsageRow'];

/** A graph of steps, each carried out by a run. */
export type PlanLine = Schemas['PlanLine'];
export type PlanView = Schemas['PlanView'];
export type PlanCounts = Schemas['PlanCounts'];
export type PlanStep = Schemas['StepView'];
export type StepRun = Schemas['StepRun'];
export type StepDetail = Schemas['StepDetail'];
export type RunStep = Schemas['RunStep'];
export type StepReport = Request<Schemas['StepReport'], 'status'>;
export type PlanArtifact = Schemas['Artifact'];
export type PlanProposal = Schemas['Proposal'];
export type QueuedStep = Schemas['QueuedStep'];
export type NewPlanStep = Request<Schemas['NewStep'], 'title'>;
export type SplitStep = Omit<Request<Schemas['SplitStep'], 'steps'>, 'steps'> & {
  steps: NewPlanStep[];
};
export type NewPlan = Omit<Request<Schemas['NewPlan'], 'title'>, 'steps'> & {
  steps?: NewPlanStep[];
};
export type EditPlan = Schemas['EditPlan'];
export type EditPlanStep = Schemas['EditStep'];
export type Breakdown = Request<Schemas['Breakdown'], 'instruction'>;

/** A bot on a chat platform. */
export type Channel = Schemas['ChannelView'];
export type KnownChat = Schemas['KnownChat'];
export type NewChannel = Schemas['NewChannel'];
export type EditChannel = Schemas['EditChannel'];
/** An account on a platform that belongs to a person here. */
export type ConnectedAccount = Schemas['Pairing'];
export type AccountRight = ConnectedAccount['may'][number];
export type AccountFields = Schemas['PairingFields'];
export type EnterCode = Request<Schemas['EnterCode'], 'code'>;
export type CodeOwner = Schemas['CodeOwner'];
export type ChannelMessage = Schemas['ChannelMessage'];
export type ChannelMessagePage = Schemas['ChannelMessageList'];

/** Instructions with files, which agents get once a person has approved them. */
export type SkillRow = Schemas['SkillView'];
/** Where an agent is imported from. `agent`: which one, if an orchestrator's folder has several. */
export type AgentSource = ({ archive: string } | { folder: string }) & { agent?: string };

/** What goes into the file of an exported agent beside the agent itself. */
export interface ExportChoice {
  memory: boolean;
  user: boolean;
}

export type ArrivingAgent = Schemas['ArrivingAgent'];
export type SkillDetail = Schemas['SkillDetail'];
export type SkillFile = Schemas['SkillFileView'];
export type SkillList = Schemas['SkillList'];
export type SkillVerdict = Schemas['SkillDecision']['decision'];
export type NewSkill = Partial<Schemas['NewSkill']>;
export type ToolServer = Schemas['ToolServerView'];
export type OfferedTool = Schemas['ToolView'];
export type ToolServerOfCli = Schemas['ToolServerOfCli'];
export type ToolServersOfClis = Schemas['ToolServersOfClisList'];
export type ToolServerList = Schemas['ToolServerList'];
export type NewToolServer = Partial<Schemas['NewToolServer']> & { name: string };
export type ToolServerChange = Partial<Schemas['ToolServerChange']>;

export type Person = Schemas['Person'];
export type Size = Schemas['Size'];
export type Terminal = Schemas['Terminal'];
/** Of the agent in a terminal. */
/** Where an agent of another person works. */
export type DocumentWork = Schemas['DocumentWork'];

/** Who may see it. */
export type TerminalPatch = Schemas['TerminalPatch'];

export type AgentState = NonNullable<Terminal['agent_state']>;
/** Which PTY a screen shows: the shell’s or the agent’s. */
export type ScreenSource = Schemas['Replay']['source'];
export type NewTerminal = Partial<Schemas['NewTerminal']>;
export type StartAgent = Partial<Schemas['StartAgent']>;
export type Recording = Schemas['Recording'];

/** One page of a list; `next` is the cursor of the page after it, null at the end. */
export interface List<T> {
  items: T[];
  next: string | null;
}

type WireAgentEvent = Schemas['OutputRecord']['event'];

/** What a CLI says while it works. The input of a tool is an object, which the generator does not say. */
export type AgentEvent =
  | Exclude<WireAgentEvent, { type: 'ToolCall' }>
  | (Omit<Schemas['ToolCall'], 'input'> & { input: Record<string, unknown> });

/** A frame of a run’s output. */
export type OutputFrame =
  (Omit<Schemas['OutputRecord'], 'event'> & { event: AgentEvent }) | Schemas['OutputEnd'];

/** What happens on the server, as this version knows it; types of a later server are passed over. */
export type CabinetEvent = Schemas['EventFrame']['event'];
/** The events that carry the new state of a run. */
export type RunEvent = Extract<CabinetEvent, { run: Run }>;

/** A frame of the event stream. Its event may be of a type that this version does not know. */
export type EventFrame =
  | Schemas['EventsHello']
  | Schemas['EventsReset']
  | (Omit<Schemas['EventFrame'], 'event'> & { event: { type: string } });
