/**
 * Short names for the generated types of the wire (`schema.ts`), which come from the server's structs.
 * Nothing is defined here but what the generator cannot say.
 */
import type { Body, Query } from './operations';
import type { components } from './schema';

type Schemas = components['schemas'];

export type Run = Schemas['Run'];
export type RunState = Run['state'];
export type PermissionMode = Run['permission_mode'];
/** What is left out the server decides. */
export type NewRun = Body<'POST', 'runs'>;
export type RunQuery = Query<'GET', 'runs'>;
export type Attachment = Schemas['Attachment'];
export type Usage = Schemas['Usage'];

export type Session = Schemas['Session'];
export type SessionQuery = Query<'GET', 'editor/sessions'>;
export type SessionRow = Schemas['SessionSummary'];
export type SessionDetail = Schemas['SessionDetail'];
export type OpenSession = Schemas['OpenSession'];
export type Mention = Schemas['Mention'];

export type Health = Schemas['Health'];
export type RunnerName = Schemas['Where']['runner'];
export type SandboxRecord = Schemas['SandboxRecord'];
export type RuntimeRow = Schemas['RuntimeEntry'];
export type LastError = Schemas['LastError'];
export type Capabilities = Schemas['Capabilities'];

export type Approval = Schemas['Approval'];
export type ApprovalItem = Schemas['ApprovalItem'];
export type ApprovalQuery = Query<'GET', 'approvals'>;
/** A proposed soul or a skill that waits for a person. */
export type Review = Schemas['Review'];
export type AnswerOption = Schemas['AnswerOption'];
export type NewAnswer = Schemas['NewAnswer'];
export type ApprovalRule = Schemas['ApprovalRule'];
export type RuleList = Schemas['RuleList'];
export type NewRule = Schemas['NewRuleInput'];
export type Explain = Schemas['Explain'];
export type RuleDecision = Schemas['Decision'];
export type ActivityEntry = Schemas['ActivityEntry'];
export type ActivityRequest = Schemas['ActivityRequest'];
export type ActivityQuery = Query<'GET', 'activity'>;
export type Changes = Schemas['Changes'];
export type KeptChanges = Schemas['Kept'];
export type ChangedFile = Schemas['ChangedFile'];
export type ChangeCounts = Schemas['ChangeCounts'];
export type FileDiff = Schemas['FileDiff'];
export type Decide = Schemas['Decide'];
export type Trust = Schemas['TrustState'];

export type AgentRow = Schemas['AgentView'];
export type LastRun = Schemas['LastRun'];
export type AgentList = Schemas['AgentList'];
export type PutAwayAgent = Schemas['PutAwayAgent'];
export type AgentTemplate = Schemas['Template'];
export type NewAgent = Schemas['NewAgent'];
/** Whether work is paused on the whole root directory. */
export type WorkSwitch = Schemas['Switch'];
export type AgentDetail = Schemas['AgentDetail'];
export type Effect = Schemas['EffectReport'];
export type Inbox = Schemas['Inbox'];
export type Message = Schemas['Message'];
export type Task = Schemas['Task'];
export type TaskList = Schemas['Tasks'];
export type NewTask = Schemas['NewTask'];
export type Tick = Schemas['Tick'];
export type SoulProposal = Schemas['SoulProposal'];
export type SoulDecision = Schemas['DecideSoul'];

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
export type CliSessionQuery = Query<'GET', 'sessions'>;
export type ProjectList = Schemas['ProjectList'];
export type Project = Schemas['Project'];
export type SessionMarks = Schemas['SessionMarks'];
export type SessionPatch = Schemas['SessionPatch'];
export type NextPrompts = Schemas['NextPrompts'];
export type ContinueSession = Schemas['ContinueSession'];
export type Finding = Schemas['Finding'];
export type TimelineEntry = Schemas['TimelineEntry'];
export type RequestedAction = NonNullable<TimelineEntry['action']>;
export type Timeline = Schemas['Timeline'];
export type TimelineQuery = Query<'GET', 'sessions/{id}/timeline'>;
export type TimelineMatches = Schemas['TimelineMatches'];
export type TimelineMatchesQuery = Query<'GET', 'sessions/{id}/matches'>;
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
export type StepReport = Schemas['StepReportInput'];
export type PlanArtifact = Schemas['Artifact'];
export type PlanProposal = Schemas['Proposal'];
export type QueuedStep = Schemas['QueuedStep'];
export type NewPlanStep = Schemas['NewStep'];
export type SplitStep = Schemas['SplitStep'];
export type NewPlan = Schemas['NewPlan'];
export type EditPlan = Schemas['EditPlan'];
export type EditPlanStep = Schemas['EditStep'];
export type Breakdown = Schemas['Breakdown'];

/** A bot on a chat platform. */
export type Channel = Schemas['ChannelView'];
export type KnownChat = Schemas['KnownChat'];
export type NewChannel = Schemas['NewChannel'];
export type EditChannel = Schemas['EditChannel'];
/** An account on a platform that belongs to a person here. */
export type ConnectedAccount = Schemas['Pairing'];
export type AccountRight = ConnectedAccount['may'][number];
export type AccountFields = Schemas['PairingFields'];
export type EnterCode = Schemas['EnterCode'];
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
export type NewSkill = Schemas['NewSkill'];
export type ToolServer = Schemas['ToolServerView'];
export type OfferedTool = Schemas['ToolView'];
export type ToolServerOfCli = Schemas['ToolServerOfCli'];
export type ToolServersOfClis = Schemas['ToolServersOfClisList'];
export type ToolServerList = Schemas['ToolServerList'];
export type NewToolServer = Schemas['NewToolServer'];
export type ToolServerChange = Schemas['ToolServerChange'];

export type Person = Schemas['Person'];
export type Size = Schemas['Size'];
export type Terminal = Schemas['Terminal'];
/** Who may see a terminal. */
export type TerminalPatch = Schemas['TerminalPatch'];
/** Where an agent of another person works. */
export type DocumentWork = Schemas['DocumentWork'];
/** Of the agent in a terminal. */
export type AgentState = NonNullable<Terminal['agent_state']>;
/** Which PTY a screen shows: the shell’s or the agent’s. */
export type ScreenSource = Schemas['Replay']['source'];
export type NewTerminal = Schemas['NewTerminal'];
export type StartAgent = Schemas['StartAgent'];
export type Recording = Schemas['Recording'];

/** One page of a list; `next` is the cursor of the page after it, null at the end. */
export interface List<T> {
  items: T[];
  next: string | null;
}

/** What a CLI says while it works. */
export type AgentEvent = Schemas['OutputRecord']['event'];

/** A frame of a run’s output. */
export type OutputFrame = Schemas['OutputRecord'] | Schemas['OutputEnd'];

/** What happens on the server, as this version knows it; types of a later server are passed over. */
export type CabinetEvent = Schemas['EventFrame']['event'];
/** The events that carry the new state of a run. */
export type RunEvent = Extract<CabinetEvent, { run: Run }>;

/** A frame of the event stream. Its event may be of a type that this version does not know. */
export type EventFrame =
  | Schemas['EventsHello']
  | Schemas['EventsReset']
  | (Omit<Schemas['EventFrame'], 'event'> & { event: { type: string } });
