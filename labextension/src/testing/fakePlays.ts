/**
 * The plays of a fake server, with the stores that show them. Not part of the extension; only specs import it.
 */
import { PlaysStore } from '../agents/stores/plays/board';
import { Playbook } from '../agents/stores/plays/playbook';
import type { PlayRow } from '../api/types';
import { RunStore } from '../runs/stores/runs';
import { fakeEvents, fakeServer, until } from './fakes';

/** Returns the name of an agent: of "eve", a name that differs from its slug. */
export const agentName = (slug: string) => (slug === 'eve' ? 'Night Editor' : slug);

/** Resolves once the list of plays is loaded. */
export async function fakePlays(items: PlayRow[]) {
  const server = fakeServer({
    'GET plays': { items, problems: [] },
    ...Object.fromEntries(
      items.flatMap(play => [
        [`GET plays/${play.slug}`, play],
        [`GET plays/${play.slug}/history`, { items: [] }]
      ])
    )
  });
  const { events, happen } = fakeEvents(server.client);
  const playbook = new Playbook(server.client, events, new RunStore(server.client, events));
  const store = new PlaysStore(playbook, events, agentName);
  await until(() => store.plays !== null);
  return { happen, playbook, server, store };
}
