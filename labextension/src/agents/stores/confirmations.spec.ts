import type { CabinetClient } from '../../api/client';
import { ConfirmationStore } from './confirmations';

const difference = [{ what: 'Permission mode', before: 'edit', after: 'bypass' }];

function open() {
  const confirmed: string[] = [];
  const client = {
    agents: async () => ({
      items: [
        { slug: 'ada', status: 'unconfirmed' },
        { slug: 'ben', status: 'idle' }
      ]
    }),
    agent: async (slug: string) => ({ slug, name: 'Ada', hash: 'h1', difference }),
    plays: async () => ({
      items: [
        { slug: 'triage', confirmed: false },
        { slug: 'broken', confirmed: false },
        { slug: 'known', confirmed: true }
      ]
    }),
    play: async (slug: string) => ({
      slug,
      name: slug,
      hash: slug === 'broken' ? '' : 'h2',
      difference: []
    }),
    confirmAgent: async (slug: string, hash: string) => void confirmed.push(`${slug} ${hash}`),
    confirmPlay: async (slug: string, hash: string) => void confirmed.push(`${slug} ${hash}`)
  };
  return { store: new ConfirmationStore(client as unknown as CabinetClient), confirmed };
}

describe('What has to be confirmed', () => {
  it('is found among agents and plays, but for what cannot be read', async () => {
    const { store } = open();
    const found = await store.find();
    expect(found.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      'agent Ada (ada)',
      'play triage'
    ]);
    expect(found[0].difference).toEqual(difference);
  });

  it('is confirmed by the hash of what was shown', async () => {
    const { store, confirmed } = open();
    for (const each of await store.find()) {
      await store.confirm(each);
    }
    expect(confirmed).toEqual(['ada h1', 'triage h2']);
  });
});
