/**
 * Agents and plays that may not act as they are, because nobody has confirmed them so.
 */
import type { CabinetClient } from '../../api/client';
import type { Difference } from '../../api/types';

/** One of them, as the person is shown it. `hash` is of exactly that. */
export interface IUnconfirmed {
  kind: 'agent' | 'play';
  slug: string;
  title: string;
  hash: string;
  difference: Difference[];
}

export class ConfirmationStore {
  constructor(private readonly _client: CabinetClient) {}

  /** Agents and plays that need confirmation. Those that are disabled for another reason are left out. */
  async find(): Promise<IUnconfirmed[]> {
    const [agents, plays] = await Promise.all([this._client.agents(), this._client.plays()]);
    const found = await Promise.all([
      ...agents.items
        .filter(({ status }) => status === 'unconfirmed')
        .map(async ({ slug }) => shown('agent', await this._client.agent(slug))),
      ...plays.items
        .filter(({ agent_gone: isAgentGone, confirmed }) => !confirmed && !isAgentGone)
        .map(async ({ slug }) => shown('play', await this._client.play(slug)))
    ]);
    return found.filter(({ hash }) => hash);
  }

  /** One of them as it is now; null where there is nothing to confirm of it. */
  async findOne(kind: IUnconfirmed['kind'], slug: string): Promise<IUnconfirmed | null> {
    const detail = await (kind === 'agent' ? this._client.agent(slug) : this._client.play(slug));
    return detail.hash && !detail.confirmed ? shown(kind, detail) : null;
  }

  /** Rejects where it has been changed since it was shown. */
  async confirm({ kind, slug, hash }: IUnconfirmed): Promise<void> {
    await (kind === 'agent'
      ? this._client.confirmAgent(slug, hash)
      : this._client.confirmPlay(slug, hash));
  }
}

function shown(
  kind: IUnconfirmed['kind'],
  {
    slug,
    name,
    hash,
    difference
  }: { slug: string; name: string; hash: string; difference: Difference[] }
): IUnconfirmed {
  return { kind, slug, title: name === slug ? slug : `${name} (${slug})`, hash, difference };
}
