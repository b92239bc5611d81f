/**
 * What waits for a person to review it: what agents propose, held directives, and skills. Kept up by the events of the server.
 * It is decided elsewhere: on the page of the agent, in its run, in the library, and in the plan.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, Review } from '../../api/types';
import { Commands } from '../../shared/commands';
import { LiveStore } from '../../shared/liveStore';
import { visible } from '../../shared/untrusted';

const NEWS: readonly CabinetEvent['type'][] = [
  'soul_proposed',
  'soul_proposal_closed',
  'effects_applied',
  'plan_changed',
  'skills_changed',
  'tool_servers_changed',
  'agent_removed',
  'run_finished' // it may have changed skills on the disk
];
const PAUSE_MS = 200;

export class ReviewStore extends LiveStore {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super(events);
    this.keepUp();
  }

  /** Proposals of agents, then skills, each newest first. None for a person who may not see agents. */
  items: readonly Review[] = [];

  /** Those about which this person can decide. */
  get mine(): Review[] {
    return this.items.filter(({ may_decide }) => may_decide);
  }

  /** Those about which only others can decide. */
  get others(): Review[] {
    return this.items.filter(({ may_decide }) => !may_decide);
  }

  protected onEvent({ type }: CabinetEvent): void {
    if (NEWS.includes(type)) {
      this.rereadSoon(PAUSE_MS);
    }
  }

  protected reread(): void {
    void this.latest(
      () => this._client.ask('GET', 'reviews'),
      ({ items }) => (this.items = items)
    );
  }
}

/** "Sage proposes a new SOUL.md" */
export function reviewTitle(review: Review, trans: TranslationBundle): string {
  const name = visible(review.title);
  if (review.kind === 'soul') {
    return trans.__('%1 proposes a new SOUL.md', name);
  }
  if (review.kind === 'tool_server') {
    return trans.__('The tool server %1 is not approved', name);
  }
  if (review.kind === 'directives') {
    return trans._n(
      '%1 effect of %2 waits for you',
      '%1 effects of %2 wait for you',
      review.count,
      name
    );
  }
  if (review.kind === 'plan') {
    return trans._n(
      'The plan %2 has %1 proposal',
      'The plan %2 has %1 proposals',
      review.count,
      name
    );
  }
  return review.changed
    ? trans.__('The skill %1 has changed since it was approved', name)
    : trans.__('The skill %1 is not approved', name);
}

/** Where it came from, or that another person decides. */
export function reviewNote(review: Review, trans: TranslationBundle): string {
  if (!review.may_decide) {
    return trans.__('You do not have permission to decide');
  }
  if (review.kind === 'soul') {
    return trans.__('It has reflected on its memory');
  }
  if (review.kind === 'directives') {
    return trans.__('It has read text from outside');
  }
  if (review.kind === 'plan') {
    return trans.__('An evaluation suggests a change of its steps');
  }
  return visible(review.source) || trans.__('Agents cannot use it yet');
}

/** The command that shows it where it is decided, with its arguments. */
export function reviewPlace({ agent, kind, name }: Review): [string, Record<string, string>] {
  switch (kind) {
    case 'soul':
      return [Commands.openAgent, { agent: name, tab: 'files', file: 'SOUL.md' }];
    case 'directives':
      return [Commands.openAgent, { agent, tab: 'history', run: name }];
    case 'plan':
      return [Commands.plans, { plan: name }];
    case 'skill':
      return [Commands.skills, { skill: name }];
    case 'tool_server':
      return [Commands.skills, { toolServer: name }];
  }
}
