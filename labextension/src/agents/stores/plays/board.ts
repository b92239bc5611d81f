/**
 * What the list of plays shows, and which of them is selected.
 */
import type { EventStream } from '../../../api/events';
import type { AgentRow, CabinetEvent, PlayDetail, PlayList, PlayRow } from '../../../api/types';
import { naturally } from '../../../shared/naturalOrder';
import { Store } from '../../../shared/store';
import { Drafts } from '../drafts';
import type { EditedText } from '../editedText';
import type { Resource } from '../../../shared/resource';
import { type IPerson, isOwner } from '../rights';
import { instructionOf } from './instruction';
import { EditedPlay, NewPlayForm } from './form';
import type { Playbook } from './playbook';
import { slugOfRun } from './slugOfRun';
import type { NameOf } from './words';

/** Why a play was not started when one of its triggers has fired. */
export interface INotStarted {
  reason: string;
  trigger: string;
}

/** Of a command, from wherever it comes. */
interface IPlayArgs {
  play?: unknown;
  edit?: unknown;
  new?: unknown;
}

/** An agent that could carry nothing out now. */
const OUT_OF_SERVICE: ReadonlySet<AgentRow['status']> = new Set([
  'inactive',
  'unconfirmed',
  'out_of_service'
]);

const NEW = 'new';

export class PlaysStore extends Store {
  constructor(
    readonly playbook: Playbook,
    private readonly _events: EventStream,
    private readonly _nameOf: NameOf
  ) {
    super();
    this.list = playbook.list();
    this.list.changed.connect(this._onChange, this);
    this.drafts.changed.connect(this._onChange, this);
    _events.happened.connect(this._onEvent, this);
    void this.list.load();
  }

  readonly list: Resource<PlayList>;
  /** Unsaved edits are kept, whatever play is selected. */
  readonly drafts = new Drafts();
  search = '';
  /** The slug of an agent; empty: of all. */
  agent = '';
  view: 'list' | 'graph' = 'list';
  /** A person writes a new one. */
  isNew = false;
  /** A person edits the selected play. */
  isEditing = false;

  override dispose(): void {
    this._events.happened.disconnect(this._onEvent, this);
    this.list.dispose();
    this.drafts.dispose();
    super.dispose();
  }

  /** Null until they were read. */
  get plays(): readonly PlayRow[] | null {
    return this.list.value?.items ?? null;
  }

  /** Those that fit the search and the agent. */
  get shown(): readonly PlayRow[] {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    return (this.plays ?? []).filter(
      play =>
        (!this.agent || play.agent === this.agent) &&
        words.every(word => searchedIn(play, this._nameOf).includes(word))
    );
  }

  /** The agents that carry plays out, by name. */
  get agents(): readonly string[] {
    const found = (this.plays ?? []).map(({ agent }) => agent).filter(agent => agent !== null);
    return [...new Set(found)].sort((a, b) => naturally(this._nameOf(a), this._nameOf(b)));
  }

  /** The slug of the selected play: the chosen one, as long as it exists; else the first that is shown. */
  get current(): string | null {
    if (this.isEditing && this._chosen) {
      return this._chosen; // whatever happens to the list meanwhile
    }
    const isThere = this.plays?.some(({ slug }) => slug === this._chosen);
    return isThere ? this._chosen : (this.shown[0]?.slug ?? null);
  }

  /** Whether the chosen play was just made, and is not in the list yet. */
  get isComing(): boolean {
    return this._made !== null && !this.plays?.some(({ slug }) => slug === this._made);
  }

  /** The last time that one of its triggers started nothing; null after a run of it. */
  notStarted(slug: string): INotStarted | null {
    return this._notStarted.get(slug) ?? null;
  }

  /** Who is to carry out a new play: the agent whose plays are shown, else the first one that this person owns. */
  likelyAgent(rows: readonly AgentRow[], who: IPerson): string {
    const own = rows.filter(row => isOwner(row, who));
    const usable = own.filter(({ status }) => !OUT_OF_SERVICE.has(status));
    const shown = own.find(({ slug }) => slug === this.agent);
    return (shown ?? usable[0] ?? own[0])?.slug ?? '';
  }

  /** Whether a new play was begun, and neither made nor given up. */
  get hasBegunNew(): boolean {
    return this.drafts.unsaved.includes(NEW);
  }

  /** The form of a new play, until it is made or given up. */
  newPlay(): { form: NewPlayForm } {
    const taken = () => (this.plays ?? []).map(({ slug }) => slug);
    return { form: this.drafts.of(NEW, () => new NewPlayForm(this.playbook, taken)) };
  }

  /** A play that is to be changed: in a form, and as the text of its file. */
  edited(play: PlayDetail): { form: EditedPlay; text: EditedText } {
    const [fields, file] = draftsOf(play.slug);
    return {
      form: this.drafts.of(fields, () => new EditedPlay(this.playbook, play)),
      text: this.drafts.of(file, () => this.playbook.text(play.slug))
    };
  }

  /** Whether what was written into this play can only be kept in a new one: its file is gone. */
  canRenew(slug: string): boolean {
    const isGone = this.plays !== null && !this.plays.some(play => play.slug === slug);
    return isGone && this.isUnsaved(slug) && !this.hasBegunNew;
  }

  /** What was written into a play whose file is gone becomes the form of a new play. */
  renew(play: PlayDetail): void {
    const { form, text } = this.edited(play);
    const { form: made } = this.newPlay();
    made.write(form.draft);
    made.name(play.slug);
    made.instruct(instructionOf(text.draft ?? play.text));
    this.forget(play.slug);
    this.want({ isNew: true, isEditing: false });
  }

  isUnsaved(slug: string): boolean {
    const { unsaved } = this.drafts;
    return draftsOf(slug).some(name => unsaved.includes(name));
  }

  /** Give up what was not saved: of a play, or of the new one. */
  forget(slug: string | null): void {
    const names = slug === null ? [NEW] : draftsOf(slug);
    names.forEach(name => this.drafts.forget(name));
  }

  want(
    change: Partial<Pick<PlaysStore, 'search' | 'agent' | 'view' | 'isNew' | 'isEditing'>>
  ): void {
    Object.assign(this, change);
    this.tell();
  }

  /** It may come a moment later than its name, when it was just made. */
  choose(slug: string, { isMade = false } = {}): void {
    this._chosen = slug;
    this._made = isMade ? slug : null;
    this.isNew = false;
    this.isEditing = false;
    this.tell();
  }

  /** The selected play. */
  edit(slug: string): void {
    this.choose(slug);
    this.want({ isEditing: true });
  }

  /** As the arguments of a command say. */
  follow({ edit, new: isNew, play }: IPlayArgs): void {
    if (typeof play === 'string' && play) {
      this.choose(play);
    }
    if (isNew || (play && edit)) {
      this.want({ isNew: Boolean(isNew), isEditing: Boolean(edit) });
    }
  }

  private _onChange(): void {
    this.tell();
  }

  private _onEvent(_: EventStream, event: { type: string }): void {
    const happened = event as CabinetEvent;
    if (happened.type === 'play_not_started') {
      const { play, reason, trigger } = happened;
      this._notStarted.set(play, { reason, trigger });
      this.tell();
    } else if (happened.type === 'run_started' && happened.run.kind === 'play') {
      this._notStarted.delete(slugOfRun(happened.run));
    }
  }

  private _chosen: string | null = null;
  private _made: string | null = null;
  private readonly _notStarted = new Map<string, INotStarted>();
}

function searchedIn({ agent, category, slug, title }: PlayRow, nameOf: NameOf): string {
  const carrier = agent === null ? [] : [agent, nameOf(agent)];
  return [slug, title, category, ...carrier].join(' ').toLowerCase();
}

/** The names of what a person has changed of a play. */
function draftsOf(slug: string): readonly [string, string] {
  return [`${slug} (fields)`, `${slug}.md`];
}
