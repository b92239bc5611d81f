/**
 * The soul that the agent proposes, until a person has decided about it. Every decision names the proposal and the soul
 * that the person has seen, so that nothing else can be accepted.
 */
import type { AgentRoutes } from '../../../api/agentRoutes';
import { ApiError } from '../../../api/client';
import type { EventStream } from '../../../api/events';
import type { CabinetEvent, SoulDecision, SoulProposal } from '../../../api/types';
import { isOf, Resource } from '../../../shared/resource';
import { Words, type Drafts } from '../drafts';

/** As a person reads it where it would be lost. */
export const EDITED_PROPOSAL = 'edited proposal for SOUL.md';

const CHANGES: readonly CabinetEvent['type'][] = [
  'soul_proposed',
  'soul_proposal_closed',
  'agent_changed'
];

export class SoulProposals extends Resource<{ proposal: SoulProposal | null }> {
  constructor(
    private readonly _routes: AgentRoutes,
    events: EventStream,
    private readonly _drafts: Drafts,
    private readonly _slug: string
  ) {
    const concerns = (event: CabinetEvent) => CHANGES.includes(event.type) && isOf(_slug, event);
    super(() => _routes.soulProposal(_slug), events, concerns);
  }

  /** Why the last decision was not taken. */
  refusal: string | null = null;
  isBusy = false;

  get waiting(): SoulProposal | null {
    return this.value?.proposal ?? null;
  }

  /** What a person makes of the proposal; null while they do not edit it. */
  get edited(): Words | null {
    return (this._drafts.find(EDITED_PROPOSAL) as Words | undefined) ?? null;
  }

  edit({ text }: SoulProposal): void {
    this._drafts.of(EDITED_PROPOSAL, () => new Words(text));
    this.tell();
  }

  stopEditing(): void {
    this._drafts.forget(EDITED_PROPOSAL);
    this.tell();
  }

  /** `text`: saved instead of the proposal. */
  accept(seen: SoulProposal, text: string | null = null): Promise<void> {
    return this._decide({ decision: 'accept', hash: seen.hash, etag: seen.etag, text });
  }

  refuse({ hash }: SoulProposal): Promise<void> {
    return this._decide({ decision: 'refuse', hash });
  }

  /** Bind it to the soul as it is now, and show the difference to that. */
  compareAgain({ hash }: SoulProposal): Promise<void> {
    return this._decide({ decision: 'compare', hash });
  }

  private async _decide(decision: SoulDecision): Promise<void> {
    if (this.isBusy) {
      return;
    }
    this.isBusy = true;
    this.refusal = null;
    this.tell();
    try {
      await this._routes.decideSoul(this._slug, decision);
      this._drafts.forget(EDITED_PROPOSAL);
    } catch (reason) {
      this.refusal = reason instanceof ApiError ? reason.message : String(reason);
    }
    this.isBusy = false;
    await this.load();
  }
}
