/**
 * All that the page of one agent shows beside the agent itself, which `AgentStore` has. All requests to the server go
 * through here; a refusal rejects, and the page says it beside what was asked.
 */
import { AgentRoutes } from '../../../api/agentRoutes';
import { ApiError, type CabinetClient } from '../../../api/client';
import type { EventStream } from '../../../api/events';
import { SkillRoutes } from '../../../api/skillRoutes';
import { ToolServerRoutes } from '../../../api/toolServerRoutes';
import type {
  AgentDetail,
  AgentFileInfo,
  CabinetEvent,
  Effect,
  Inbox,
  NewTask,
  PlayRow,
  Run,
  SentPrompt,
  SkillRow,
  ToolServer,
  Task,
  TaskList
} from '../../../api/types';
import type { RunStore } from '../../../runs';
import { Drafts, Words } from '../drafts';
import { EditedText, type ITextPlace, type IVersion } from '../editedText';
import { FileVersions, type IVersionPlace } from './fileVersions';
import { AgentRuns, changesEffects, HistoryStore } from './history';
import { MemorySearch } from './memorySearch';
import { PersonaForm } from './personaForm';
import { isOf, Resource } from '../../../shared/resource';
import { SoulProposals } from './soulProposal';
import { PERSONA, PROTOCOL_FILE, USER_FILE, type SteeringFile } from './steeringFiles';
import { concernsPlays, Playbook } from '../plays/playbook';

/** Runs in the overview, beside the one that works. */
const MOST_LATEST = 9;
const NOT_FOUND = 404;

export class AgentPage {
  constructor(
    private readonly _client: CabinetClient,
    private readonly _events: EventStream,
    readonly runs: RunStore,
    readonly slug: string
  ) {
    const routes = (this._routes = new AgentRoutes(_client));
    const of = (...types: CabinetEvent['type'][]) => {
      const wanted = new Set(types);
      return (event: CabinetEvent) => wanted.has(event.type) && isOf(slug, event);
    };
    this.latest = new AgentRuns(_client, _events, runs, slug, MOST_LATEST);
    this.history = new HistoryStore(_client, _events, runs, slug);
    this.inbox = new Resource(
      () => routes.inbox(slug),
      _events,
      of('message_received', 'effects_applied', 'run_finished', 'agent_changed')
    );
    this.tasks = new Resource(
      () => routes.tasks(slug),
      _events,
      of('task_changed', 'effects_applied', 'agent_changed')
    );
    this.files = new Resource(
      async () => (await routes.agentFiles(slug)).items,
      _events,
      of('effects_applied', 'agent_changed', 'run_finished')
    );
    this.proposals = new SoulProposals(routes, _events, this.drafts, slug);
    this.skills = new Resource(
      async () => (await new SkillRoutes(_client).list()).items,
      _events,
      ({ type }) => type === 'skills_changed'
    );
    this.toolServers = new Resource(
      async () => (await new ToolServerRoutes(_client).list()).items,
      _events,
      ({ type }) => type === 'tool_servers_changed'
    );
    this.memorySearch = new MemorySearch(q => routes.searchMemory(slug, q));
    this.playbook = new Playbook(_client, _events, runs);
    this.plays = new Resource(
      async () => (await _client.plays()).items.filter(({ agent }) => agent === slug),
      _events,
      event => concernsPlays(event) && (!('run' in event) || event.run.agent === slug)
    );
  }

  /** A few, whatever the history is narrowed to. */
  readonly latest: AgentRuns;
  readonly history: HistoryStore;
  readonly inbox: Resource<Inbox>;
  readonly tasks: Resource<TaskList>;
  readonly files: Resource<AgentFileInfo[]>;
  readonly memorySearch: MemorySearch;
  readonly plays: Resource<PlayRow[]>;
  readonly proposals: SoulProposals;
  /** All of the server's folder, whichever it lists. */
  readonly skills: Resource<SkillRow[]>;
  /** Those of the person, and shared ones. */
  readonly toolServers: Resource<ToolServer[]>;
  readonly playbook: Playbook;
  /** Unsaved edits are kept, whatever tab of the page is shown. */
  readonly drafts = new Drafts();

  dispose(): void {
    const { drafts, files, history, inbox, latest, memorySearch, plays, skills, tasks } = this;
    const { proposals } = this;
    [drafts, files, history, inbox, latest, memorySearch, plays, proposals, skills, tasks].forEach(
      each => each.dispose()
    );
    this.toolServers.dispose();
    this._versions.forEach(each => each.dispose());
  }

  effects(runId: string): Resource<Effect[]> {
    return new Resource(
      async () => (await this._routes.effects(runId)).items,
      this._events,
      event => changesEffects(runId, event)
    );
  }

  /** Allow or refuse a directive that is held. */
  async decide({ position, run_id: runId }: Effect, isAllowed: boolean): Promise<void> {
    await this._routes.decideEffect(runId, position, isAllowed);
  }

  sentPrompt(runId: string): Promise<SentPrompt> {
    return this._routes.sentPrompt(runId);
  }

  /** What a person is about to tell it. */
  words(name: 'message' | 'task' | 'task description'): Words {
    return this.drafts.of(name, () => new Words());
  }

  /** What a person is about to tell it after a run, from the words of that run; null while they do not write it. */
  again({ number }: Run): Words | null {
    return (this.drafts.find(againName(number)) as Words | undefined) ?? null;
  }

  beginAgain({ number }: Run, offered: string): void {
    this.drafts.of(againName(number), () => new Words(offered)).write(offered);
  }

  forgetAgain({ number }: Run): void {
    this.drafts.forget(againName(number));
  }

  /** One of its files, to be edited; one that is not there is begun by the first save. */
  file(path: string): EditedText {
    const place = {
      read: () => orNothing(this._routes.agentFile(this.slug, path)),
      write: (text: string, etag: string) =>
        this._routes.saveAgentFile(this.slug, path, text, etag || null)
    };
    return this.drafts.of(path, () => new EditedText(place));
  }

  /** A file that steers it, to be edited. */
  steeringFile(path: SteeringFile): EditedText {
    if (path === PROTOCOL_FILE) {
      return this.drafts.of(path, () => new EditedText(this._protocolPlace()));
    }
    if (path !== USER_FILE) {
      return path === PERSONA ? this.persona() : this.file(path);
    }
    const place = {
      read: () => orNothing(this._routes.userFile()),
      write: (text: string, etag: string) => this._routes.saveUserFile(text, etag || null)
    };
    return this.drafts.of(path, () => new EditedText(place));
  }

  /** Earlier versions of a file that steers it. */
  versions(path: SteeringFile): FileVersions {
    const known = this._versions.get(path);
    if (known) {
      return known;
    }
    const { slug, _routes: routes } = this;
    const shared: Record<string, IVersionPlace> = {
      [USER_FILE]: {
        list: () => routes.userFileVersions(),
        read: id => routes.userFileVersion(id)
      },
      [PROTOCOL_FILE]: {
        list: () => routes.protocolFileVersions(),
        read: id => routes.protocolFileVersion(id)
      }
    };
    const kept = shared[path] ?? {
      list: () => routes.fileVersions(slug, path),
      read: (id: string) => routes.fileVersion(slug, path, id)
    };
    const made = new FileVersions(kept, this.steeringFile(path));
    this._versions.set(path, made);
    return made;
  }

  /** Whether agents receive the rules of the team as they are saved; null: they were not read yet. */
  get isProtocolConfirmed(): boolean | null {
    return this._isProtocolConfirmed;
  }

  private _protocolPlace(): ITextPlace {
    return {
      read: async () => {
        const found = await orNothing(this._routes.protocolFile());
        this._isProtocolConfirmed = !('confirmed' in found) || found.confirmed === true;
        return found;
      },
      write: async (text: string, etag: string) => {
        const saved = await this._routes.saveProtocolFile(text, etag || null);
        this._isProtocolConfirmed = true;
        return saved;
      }
    };
  }

  /** Its whole persona, to be edited. */
  persona(): EditedText {
    const place = {
      read: async () => {
        const { etag, persona } = await this._client.agent(this.slug);
        return { text: persona, etag };
      },
      write: (text: string, etag: string) => this._routes.saveAgent(this.slug, { text }, etag)
    };
    return this.drafts.of(PERSONA, () => new EditedText(place));
  }

  /** The usual fields of its persona, to be changed. Comments and other fields stay. */
  fields(agent: AgentDetail): PersonaForm {
    const save = (fields: Record<string, unknown>, etag: string) =>
      this._routes.saveAgent(this.slug, { fields }, etag);
    const read = () => this._client.agent(this.slug);
    return this.drafts.of('fields', () => new PersonaForm(save, agent, read));
  }

  /** `onSent` is called when the message is there. It stays so where the run is refused: that rejects with why. */
  async send(text: string, isRunNow: boolean, onSent: () => void): Promise<void> {
    await this._routes.sendMessage(this.slug, text);
    onSent();
    await this.inbox.load();
    if (isRunNow) {
      this.runs.put(await this._client.runAgent(this.slug));
    }
  }

  /** Let it reflect, so that it may propose another soul. */
  async reflect(): Promise<Run> {
    return this.runs.put(await this._routes.reflect(this.slug));
  }

  async give(task: NewTask): Promise<void> {
    await this._routes.giveTask(this.slug, task);
    await this.tasks.load();
  }

  /** Shown as it is on the server, whether it was moved or refused. */
  async move(taskId: string, status: Task['status']): Promise<void> {
    try {
      await this._routes.moveTask(this.slug, taskId, status);
    } finally {
      await this.tasks.load();
    }
  }

  /** A heartbeat once more; what was said to it in a talk is said again. */
  async retry(run: Run): Promise<Run> {
    if (run.kind === 'reflection') {
      return this.reflect();
    }
    return run.kind === 'heartbeat'
      ? this.runs.put(await this._client.runAgent(this.slug))
      : this.instruct(run.instruction);
  }

  /** Send it a message in a separate run, whose answer has no effects. */
  instruct(instruction: string): Promise<Run> {
    return this.runs.submit({ kind: 'message', agent: this.slug, instruction });
  }

  private readonly _routes: AgentRoutes;
  private _isProtocolConfirmed: boolean | null = null;
  private readonly _versions = new Map<SteeringFile, FileVersions>();
}

/** What is read, and no text where the file is not there. */
async function orNothing(file: Promise<IVersion>): Promise<IVersion> {
  try {
    return await file;
  } catch (reason) {
    if (reason instanceof ApiError && reason.status === NOT_FOUND && reason.detail.field) {
      return { text: '', etag: '' };
    }
    throw reason; // the agent itself is not there, or nobody answers
  }
}

/** As a person reads it where it would be lost. */
function againName(number: number): string {
  return `instruction after run ${number}`;
}
