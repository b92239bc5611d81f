/**
 * A play that a person writes or changes in a form. What the server refuses stays in the form, with the reason; where
 * the file was changed meanwhile nothing is saved until the person has chosen.
 */
import type { PlayDetail } from '../../../api/types';
import { Store } from '../../../shared/store';
import { checkSlug, slugOf, WRONG } from '../newAgentRules';
import { refusedFields } from '../refusedFields';
import { changes, draftOf, EMPTY_PLAY, type IPlayDraft } from './draft';
import { type Wrong, WRONG_PLAY, wrongIn } from './draftChecks';
import type { Playbook } from './playbook';

/** What the form of a new play and that of one that is there have in common. */
export abstract class PlayForm extends Store {
  draft: Readonly<IPlayDraft> = EMPTY_PLAY;
  isBusy = false;
  /** The person wants to save: what is wrong is said of every field, also of those that they have not been at. */
  isTried = false;
  /** What the server has refused and no field can be named for. */
  refusal: string | null = null;

  /** Our own rules first, then what the server has said of this very draft. */
  get wrong(): Wrong {
    return { ...this._told, ...wrongIn(this.draft) };
  }

  write(change: Partial<IPlayDraft>): void {
    this.draft = { ...this.draft, ...change };
    this._told = {};
    this.refusal = null;
    this.tell();
  }

  /** Null if it was refused: the reason is at its field, or in `refusal`. */
  protected async ask(what: () => Promise<PlayDetail>): Promise<PlayDetail | null> {
    this.isTried = true;
    this.tell();
    if (this.isBusy || Object.keys(this.wrong).length > 0) {
      return null;
    }
    this.isBusy = true;
    this.refusal = null;
    this.tell();
    try {
      return await what();
    } catch (reason) {
      this._take(reason as Error);
      return null;
    } finally {
      this.isBusy = false;
      this.tell();
    }
  }

  private _take(reason: Error): void {
    this._told = refusedFields(reason, OF_THE_FORM);
    this.refusal = Object.keys(this._told).length > 0 ? null : reason.message;
  }

  private _told: Wrong = {};
}

/** A play that is not there yet. */
export class NewPlayForm extends PlayForm {
  constructor(
    private readonly _playbook: Playbook,
    private readonly _taken: () => readonly string[]
  ) {
    super();
  }

  get isDirty(): boolean {
    return this.body !== '' || this.slug !== '' || this.draft !== this._offered;
  }

  /** The name of its file. It follows the title until the person writes one. */
  slug = '';
  body = '';

  override get wrong(): Wrong {
    const wrong = checkSlug(this.slug, this._taken());
    const slug = wrong === WRONG.taken ? WRONG_PLAY.taken : wrong;
    // Its name comes from its title as long as the person writes none. That the title is missing is not said when it is
    // merely left: what moves then is missed by the click that leaves it.
    const isUntitled = !this._hasOwnSlug && !this.draft.title.trim();
    return {
      ...super.wrong,
      ...(isUntitled ? this.isTried && { title: WRONG_PLAY.untitled } : slug && { slug }),
      ...(!this.body.trim() && { body: WRONG_PLAY.body })
    };
  }

  /** Propose who carries it out, while the person has written nothing. */
  offer(agent: string): void {
    if (!this.isDirty && agent !== this.draft.agent) {
      this.draft = this._offered = { ...EMPTY_PLAY, agent };
      this.tell();
    }
  }

  override write(change: Partial<IPlayDraft>): void {
    if (change.title !== undefined && !this._hasOwnSlug) {
      this.slug = slugOf(change.title);
    }
    super.write(change);
  }

  name(slug: string): void {
    this.slug = slug;
    this._hasOwnSlug = true;
    this.write({});
  }

  instruct(body: string): void {
    this.body = body;
    this.write({});
  }

  create(): Promise<PlayDetail | null> {
    const fields = Object.entries(changes(EMPTY_PLAY, this.draft, {}));
    const given = Object.fromEntries(fields.filter(([, value]) => value !== null));
    return this.ask(() => this._playbook.create(this.slug, given, this.body));
  }

  private _hasOwnSlug = false;
  private _offered: Readonly<IPlayDraft> = EMPTY_PLAY;
}

/** A play that is there. */
export class EditedPlay extends PlayForm {
  constructor(
    private readonly _playbook: Playbook,
    private _seen: PlayDetail
  ) {
    super();
    this._now = _seen;
    this.draft = draftOf(_seen);
  }

  get isDirty(): boolean {
    return Object.keys(this._changes()).length > 0;
  }

  /** It was changed since the person began to. */
  get isConflict(): boolean {
    return !this.isBusy && this.isDirty && this._seen.etag !== this._now.etag;
  }

  /** The present values, to be shown beside one's own. */
  get theirs(): IPlayDraft {
    return draftOf(this._now);
  }

  /** As the server has it. A form without changes becomes that. */
  look(play: PlayDetail): void {
    this._now = play;
    const isSame = Object.keys(changes(draftOf(play), this.draft, play.fields)).length === 0;
    if (!this.isBusy && (!this.isDirty || isSame)) {
      this._begin();
    }
    this.tell();
  }

  /** Keep one's own values: the next save overwrites the other ones, which were seen. */
  keepMine(): void {
    const mine = differences(draftOf(this._seen), this.draft);
    this._begin();
    this.draft = { ...this.draft, ...mine };
    this.tell();
  }

  takeTheirs(): void {
    this._begin();
    this.write({});
  }

  async save(): Promise<boolean> {
    if (this.isConflict) {
      return false;
    }
    const { etag, slug } = this._seen;
    const sent = this.draft;
    const given = this._changes();
    const saved = await this.ask(() => this._playbook.saveFields(slug, given, etag));
    if (saved) {
      const later = differences(sent, this.draft); // what was written meanwhile is not saved yet
      this._now = saved;
      this._begin();
      this.draft = { ...this.draft, ...later };
      this.tell();
    } else if (this.refusal !== null) {
      // It may have changed by now without an event.
      await this._playbook.play(slug).then(
        play => this.look(play),
        () => undefined
      );
    }
    return saved !== null;
  }

  private _begin(): void {
    this._seen = this._now;
    this.draft = draftOf(this._now);
    this.isTried = false;
  }

  private _changes(): Record<string, unknown> {
    return changes(draftOf(this._seen), this.draft, this._seen.fields);
  }

  private _now: PlayDetail;
}

/** What of one draft is not as in another. */
function differences(before: IPlayDraft, after: IPlayDraft): Partial<IPlayDraft> {
  const found = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof IPlayDraft])
  );
  return Object.fromEntries(found) as Partial<IPlayDraft>;
}

const OF_THE_FORM =
  /^(slug|body|title|agent|category|timeout_seconds|post_to|tools|schedule(\.\w+)?|triggers(\[\d+\](\.\w+)?)?)$/;
