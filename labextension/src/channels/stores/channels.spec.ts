import { ChannelRoutes } from '../../api/channelRoutes';
import type { Channel, ChannelMessage, ConnectedAccount } from '../../api/types';
import { DraftStore } from '../../shared/draft';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { aChannel, aChannelMessage, aConnectedAccount } from '../../testing/samples';
import { ChannelsStore } from './channelList';
import { chatDrafts, chatFields } from './chats';
import {
  ACCOUNT_FIELDS,
  accountDraft,
  accountFields,
  accountRights,
  channelFields,
  draftOf,
  isComplete,
  newChannel
} from './forms';
import {
  connectionLabel,
  countsLabel,
  digestChoices,
  keepChoices,
  messageLabel,
  notifyChoices,
  notifyLabel,
  rightsLabel
} from './labels';
import { onServer, PLATFORMS, platformOf, SECRETS } from './platforms';

const filled = (text: string, ...parts: unknown[]) =>
  text.replace(/%(\d)/g, (_, at: string) => String(parts[Number(at) - 1]));
const trans = {
  __: filled,
  _n: (one: string, many: string, count: number) => filled(count === 1 ? one : many, count)
} as never;

const changed = { type: 'channel_changed', channel_id: 'channel-1' };
const messageOf = (channel: string) => ({
  type: 'channel_message_changed',
  channel_id: channel,
  message_id: 'm',
  state: 'sent'
});
const MESSAGES = 'GET channels/channel-1/messages';

function pageOf(numbers: number[], next: number | null = null) {
  const items: ChannelMessage[] = numbers.map(number =>
    aChannelMessage({ id: `message-${number}`, number })
  );
  return { items, next };
}

async function opened(
  channels: Channel[],
  accounts: ConnectedAccount[] = [],
  answers: Parameters<typeof fakeServer>[0] = {}
) {
  const server = fakeServer({
    'GET channels': { items: channels },
    'GET channel-pairings': { items: accounts },
    [MESSAGES]: pageOf([2, 1]),
    'GET channels/channel-2/messages': pageOf([]),
    ...answers
  });
  const { events, happen } = fakeEvents(server.client);
  const store = new ChannelsStore(server.client, events);
  await until(() => store.items !== null && (!store.messages || store.messages.items !== null));
  const asked = (what: string) =>
    server.requests.filter(({ line }) => line.split('?')[0] === what).length;
  return { ...server, asked, happen, store };
}

const two = [aChannel(), aChannel({ id: 'channel-2', title: 'Second' })];

describe('ChannelsStore', () => {
  it('shows the first channel until another one is chosen', async () => {
    const { store } = await opened(two);
    expect([store.shown?.id, store.messages?.channelId]).toEqual(['channel-1', 'channel-1']);
    store.choose('channel-2');
    expect([store.shown?.id, store.messages?.channelId]).toEqual(['channel-2', 'channel-2']);
    store.choose(null);
    expect(store.shown?.id).toBe('channel-1');
  });

  it('says why the channels cannot be read, and keeps what was read', async () => {
    const { answers, store } = await opened(two);
    answers['GET channels'] = refusal(503, 'unavailable', 'The server is stopping.');
    await store.refresh();
    expect([store.problem, store.items?.length]).toEqual(['The server is stopping.', 2]);
  });

  it('reads again what has changed, many changes together', async () => {
    const { asked, happen } = await opened(two);
    const before = [asked('GET channels'), asked(MESSAGES)];
    happen(changed);
    happen(messageOf('channel-2'));
    await until(() => asked('GET channels') > before[0]);
    expect([asked('GET channels'), asked(MESSAGES)]).toEqual([before[0] + 1, before[1]]);
    happen(messageOf('channel-1'));
    happen(messageOf('channel-1'));
    await until(() => asked(MESSAGES) > before[1]);
    expect([asked('GET channels'), asked(MESSAGES)]).toEqual([before[0] + 2, before[1] + 1]);
  });

  it('leaves a channel that was deleted', async () => {
    const { answers, happen, store } = await opened(two);
    store.choose('channel-2');
    answers['GET channels'] = { items: [two[0]] };
    happen(changed);
    await until(() => store.items?.length === 1);
    expect([store.shown?.id, store.messages?.channelId]).toEqual(['channel-1', 'channel-1']);
  });

  it('switches a channel off, and keeps its rules and its token', async () => {
    const rules = [{ agent: 'scout', user: '7', chat: '' }];
    const channel = aChannel({ rules });
    const { requests, store } = await opened([channel], [], {
      'PUT channels/channel-1': { ...channel, enabled: false }
    });
    expect(await store.switchTo(channel, false)).toBe(true);
    const sent = requests.find(({ line }) => line === 'PUT channels/channel-1');
    expect(sent?.body).toMatchObject({ enabled: false, rules, token: null, title: 'Team bot' });
  });

  it('says why the server has refused something, until the person has seen it', async () => {
    const why = 'Connect your account and write to the bot once.';
    const { store } = await opened(two, [], {
      'POST channels/channel-1/test': refusal(409, 'conflict', why)
    });
    expect(await store.sendTest(two[0])).toBe(false);
    expect([store.refusal, store.isBusy('channel-1')]).toEqual([why, false]);
    store.dismissRefusal();
    expect(store.refusal).toBeNull();
  });

  it('gives a new secret of a webhook, or says why there is none', async () => {
    const line = 'POST channels/channel-1/secret';
    const { answers, store } = await opened(two, [], { [line]: { secret: 'abc' } });
    expect(await store.makeSecret(two[0])).toBe('abc');
    answers[line] = refusal(403, 'not_allowed', 'Only the owner may do this.');
    expect(await store.makeSecret(two[0])).toBeNull();
    expect(store.refusal).toBe('Only the owner may do this.');
  });

  it('knows the accounts that people have because they are logged in', async () => {
    const { store } = await opened([aChannel(), aChannel({ id: 'web-1', platform: 'web' })]);
    const accounts = ['channel-1', 'web-1', 'gone'].map(channel_id =>
      aConnectedAccount({ channel_id })
    );
    expect(accounts.map(each => store.isByLogin(each))).toEqual([false, true, false]);
  });

  it('disconnects an account', async () => {
    const account = aConnectedAccount();
    const { answers, store } = await opened(two, [account], {
      'DELETE channel-pairings/account-1': () => ({ status: 204, json: '' })
    });
    answers['GET channel-pairings'] = { items: [] };
    expect(await store.disconnect(account)).toBe(true);
    expect(store.accounts).toEqual([]);
  });
});

describe('MessageStore', () => {
  const numbers = (store: ChannelsStore) => store.messages?.items?.map(({ number }) => number);

  it('exports all messages, or says why not', async () => {
    const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
    const line = `GET channels/channel-1/export?zone=${zone}`;
    const { answers, store } = await opened(two, [], { [line]: () => ({ json: '# Team bot' }) });
    const messages = store.messages!;
    expect(await messages.export()).not.toBeNull();
    answers[line] = refusal(403, 'not_allowed', 'Only the owner of a channel may do this.');
    expect([await messages.export(), messages.isExporting]).toEqual([null, false]);
    expect(messages.problem).toBe('Only the owner of a channel may do this.');
  });

  it('loads older messages below the present ones', async () => {
    const { answers, store } = await opened(two, [], { [MESSAGES]: pageOf([4, 3], 3) });
    answers[`${MESSAGES}?limit=50&cursor=3`] = pageOf([2, 1]);
    expect(store.messages?.hasOlder).toBe(true);
    await store.messages?.loadOlder();
    expect([numbers(store), store.messages?.hasOlder]).toEqual([[4, 3, 2, 1], false]);
  });

  it('shows only the messages that a search has found', async () => {
    const { answers, store } = await opened(two);
    answers[`${MESSAGES}?limit=50&query=tea`] = pageOf([1]);
    await store.messages?.search(' tea ');
    expect(numbers(store)).toEqual([1]);
    await store.messages?.search('');
    expect(numbers(store)).toEqual([2, 1]);
  });

  it('knows that only the owner may read them', async () => {
    const { store } = await opened(two, [], { [MESSAGES]: pageOf([]) }).then(made => {
      made.answers[MESSAGES] = refusal(403, 'not_allowed', 'Only the owner may do this.');
      return made;
    });
    await store.messages?.refresh();
    expect(store.messages?.isForbidden).toBe(true);
  });
});

describe('the forms', () => {
  it('choose no platform for a person', () => {
    expect(draftOf(null).platform).toBe('');
    expect(isComplete(draftOf(null))).toBe(false);
    expect(draftOf(aChannel({ platform: 'web' })).platform).toBe('web');
  });

  it('send a new channel', () => {
    const draft = {
      ...draftOf(null),
      platform: 'telegram' as const,
      title: ' Team ',
      token: ' t ',
      appToken: 'of another platform',
      agent: 'scout',
      address: ' '
    };
    expect(newChannel(draft)).toEqual({
      platform: 'telegram',
      title: 'Team',
      named_chats: [],
      token: 't',
      more_secrets: {},
      agent: 'scout',
      api_url: '',
      shows_buttons: false,
      keep_days: 0,
      enabled: true,
      rules: []
    });
  });

  it('say for how long messages are kept', () => {
    expect(newChannel({ ...draftOf(null), platform: 'web', keepDays: '7' }).keep_days).toBe(7);
    const channel = aChannel({ keep_days: 45 });
    expect(channelFields(draftOf(channel), channel).keep_days).toBe(45);
    expect(keepChoices('45', trans).at(-1)).toEqual(['45', 'For 45 days']);
    expect(keepChoices('', trans).map(([days]) => days)).toEqual(['', '1', '7', '30', '365']);
  });

  it('keep the token if no other one is written', () => {
    const channel = aChannel({ enabled: false });
    expect(channelFields(draftOf(channel), channel)).toMatchObject({ enabled: false, token: null });
    expect(channelFields({ ...draftOf(channel), token: 'new' }, channel).token).toBe('new');
  });

  it('have a field for each secret of the platform', () => {
    const draft = { ...draftOf(null), platform: 'slack' as const, token: 'xoxb-1' };
    expect(isComplete(draft)).toBe(false);
    expect(isComplete({ ...draft, appToken: ' xapp-1 ' })).toBe(true);
    expect(newChannel({ ...draft, appToken: ' xapp-1 ' })).toMatchObject({
      platform: 'slack',
      token: 'xoxb-1',
      more_secrets: { app_token: 'xapp-1' }
    });
    const channel = aChannel({ platform: 'slack' });
    expect(channelFields(draftOf(channel), channel)).toMatchObject({
      more_secrets: {},
      token: null
    });
    const bot = { ...draftOf(null), platform: 'discord' as const, token: 'abc', appToken: 'old' };
    expect(isComplete(bot)).toBe(true);
    expect(newChannel(bot)).toMatchObject({ platform: 'discord', token: 'abc', more_secrets: {} });
    for (const platform of PLATFORMS) {
      expect(platformOf(platform, trans).secrets).toHaveLength(SECRETS[platform].length);
    }
  });

  it('need no secret for a web chat', () => {
    const draft = { ...draftOf(null), platform: 'web' as const, title: 'Kitchen' };
    expect(isComplete(draft)).toBe(true);
    expect(newChannel(draft)).toMatchObject({ platform: 'web', token: '', more_secrets: {} });
    expect(platformOf('web', trans).address).toBeUndefined();
  });

  it('need the receiver of a webhook, and no secret', () => {
    const draft = { ...draftOf(null), platform: 'webhook' as const, showsButtons: true };
    expect(isComplete(draft)).toBe(false);
    const complete = { ...draft, address: ' https://example.org/answers ' };
    expect(isComplete(complete)).toBe(true);
    expect(newChannel(complete)).toMatchObject({
      api_url: 'https://example.org/answers',
      shows_buttons: true,
      token: ''
    });
    expect(newChannel({ ...complete, platform: 'telegram' }).shows_buttons).toBe(false);
    const channel = aChannel({ platform: 'webhook', shows_buttons: true });
    expect(channelFields(draftOf(channel), channel).shows_buttons).toBe(true);
  });

  it('let a new account ask, and not approve', () => {
    expect(accountRights(accountDraft(null))).toEqual({ may: ['ask'], agent: '' });
    const account = aConnectedAccount({ may: ['approve'], agent: 'scout' });
    expect(accountRights(accountDraft(account))).toEqual({ may: ['approve'], agent: 'scout' });
  });

  it('let an account hear of nothing, and begin with the time zone of the browser', () => {
    const draft = accountDraft(aConnectedAccount());
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    expect(draft.zone).toBe(timeZone);
    expect(accountFields(draft)).toMatchObject({ notify: 'off', zone: '', quiet_from: '' });
    const heard = {
      notify: 'warn' as const,
      quiet_from: '22:00',
      quiet_until: '07:00',
      zone: 'Asia/Tokyo',
      digest_minutes: 60
    };
    expect(accountFields(accountDraft(aConnectedAccount(heard)))).toMatchObject(heard);
    expect(accountFields({ ...draft, digestMinutes: ' ' }).digest_minutes).toBe(0);
  });
});

describe('the form of an account', () => {
  it('sends what a person wants to hear, and shows what is wrong beside its field', async () => {
    const store = new DraftStore(accountDraft(aConnectedAccount()), ACCOUNT_FIELDS);
    store.write({ notify: 'info', quietFrom: '22:00', zone: 'Asia/Tokyo', digestMinutes: '60' });
    const server = fakeServer({
      'PUT channel-pairings/account-1': refusal(400, 'invalid', 'Quiet hours need an end.', {
        field: 'quiet_until'
      })
    });
    const routes = new ChannelRoutes(server.client);
    const send = () => store.send(draft => routes.editAccount('account-1', accountFields(draft)));
    expect(await send()).toBe(false);
    expect(store.wrong).toEqual({ quietUntil: 'Quiet hours need an end.' });
    store.write({ quietUntil: '07:00' });
    server.answers['PUT channel-pairings/account-1'] = aConnectedAccount();
    expect(await send()).toBe(true);
    expect(server.requests.at(-1)?.body).toEqual({
      may: ['ask'],
      agent: '',
      notify: 'info',
      quiet_from: '22:00',
      quiet_until: '07:00',
      zone: 'Asia/Tokyo',
      digest_minutes: 60
    });
  });

  it('offers what is chosen already, also if it has been set elsewhere', () => {
    const notify = notifyChoices('warn', trans).map(([value]) => value);
    expect(notify).toEqual(['off', 'error', 'warn', 'info']);
    expect(notifyChoices('critical', trans).at(-1)).toEqual(['critical', 'Only in emergencies']);
    expect(digestChoices('60', trans).map(([value]) => value)).toEqual(['', '60', '240', '1440']);
    expect(digestChoices('90', trans).at(-1)).toEqual(['90', 'Every 90 minutes']);
  });

  it('says that the bot does not know the chat', () => {
    expect(notifyLabel({ notify: 'off', direct_chat: '' }, trans)).toBe('');
    expect(notifyLabel({ notify: 'warn', direct_chat: '1' }, trans)).toBe('is notified');
    expect(notifyLabel({ notify: 'warn', direct_chat: '' }, trans)).toContain('written to the bot');
  });
});

describe('the words', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  const connection = aChannel().connection;

  it('say how a channel is connected', () => {
    expect(connectionLabel({ ...connection, account: 'E-Mail' }, now, trans, true).label).toBe(
      'Sends by E-Mail'
    );
    const { icon, label } = connectionLabel(connection, now, trans);
    expect(icon).toBe('success');
    expect(label).toMatch(/^Connected as @team_bot since \d\d:\d\d$/);
    const labels = (['off', 'connecting', 'failed', 'elsewhere'] as const).map(
      state => connectionLabel({ ...connection, state }, now, trans).label
    );
    expect(labels).toEqual([
      'Off',
      'Connecting…',
      'Failed',
      'Another server on this folder is connected'
    ]);
  });

  it('say that a web chat is open, which has no account', () => {
    const { label } = connectionLabel({ ...connection, account: '' }, now, trans);
    expect(label).toMatch(/^Open since \d\d:\d\d$/);
    expect(connectionLabel({ ...connection, account: '', since: null }, now, trans).label).toBe(
      'Open'
    );
  });

  it('say where a page is: on this server, or elsewhere', () => {
    const server = 'https://hub.example/user/a%20b/';
    expect(onServer('cabinet/chat#1', server)).toBe(`${server}cabinet/chat#1`);
    expect(onServer('https://t.me/bot', server)).toBe('https://t.me/bot');
  });

  it('say what waits and what may be lost', () => {
    expect(countsLabel({ waiting: 3, unknown: 1 }, trans)).toEqual([
      '3 messages wait',
      '1 message may not have arrived'
    ]);
    expect(countsLabel({ waiting: 0, unknown: 0 }, trans)).toEqual([]);
  });

  it('say what an account may do, and what happened with a message', () => {
    expect(rightsLabel(['ask', 'approve'], trans)).toBe(
      'may ask agents, may answer approval requests'
    );
    expect(rightsLabel([], trans)).toBe('may do nothing');
    expect(messageLabel({ state: 'working' }, trans)).toEqual({
      icon: 'ring',
      label: 'Being answered'
    });
    expect(messageLabel({ state: 'unknown' }, trans).label).toBe('May not have arrived');
  });
});

describe('the chats of a channel', () => {
  const group = { chat: '-1', title: 'Team', direct: false, last_at: null };
  const mine = { chat: '7', title: 'Ada', direct: true, last_at: null };
  const channel = aChannel({
    rules: [
      { agent: 'ben', user: '5', chat: '-1' },
      { agent: 'research', user: '', chat: '-1' },
      { agent: 'gone', user: '', chat: '-9' },
      { agent: 'all', user: '', chat: '' }
    ],
    named_chats: [
      { name: 'news', chat: '-1', title: 'Team', direct: false },
      { name: 'ops', chat: '-1', title: 'Team', direct: false },
      { name: 'old', chat: '-3', title: 'Old group', direct: false }
    ]
  });

  it('are those that the bot knows, and those of which the channel says something', () => {
    expect(chatDrafts(channel, [group, mine])).toEqual([
      { chat: '-1', title: 'Team', direct: false, agent: 'research', names: 'news, ops' },
      { chat: '7', title: 'Ada', direct: true, agent: '', names: '' },
      { chat: '-3', title: 'Old group', direct: false, agent: '', names: 'old' },
      { chat: '-9', title: '', direct: false, agent: 'gone', names: '' }
    ]);
  });

  it('change nothing if nothing was written', () => {
    const { named_chats, rules } = chatFields(chatDrafts(channel, [group, mine]), channel);
    expect([rules, named_chats]).toEqual([channel.rules, channel.named_chats]);
  });

  it('keep other rules where they are, and take names as people write them', () => {
    const drafts = chatDrafts(channel, [group, mine]).map(each =>
      each.chat === '7'
        ? { ...each, agent: 'ben', names: ' #News,news  me ' }
        : { ...each, agent: '', names: '' }
    );
    expect(chatFields(drafts, channel)).toEqual({
      rules: [
        { agent: 'ben', user: '5', chat: '-1' },
        { agent: 'all', user: '', chat: '' },
        { agent: 'ben', chat: '7', user: '' }
      ],
      named_chats: [
        { name: 'news', chat: '7', title: 'Ada', direct: true },
        { name: 'me', chat: '7', title: 'Ada', direct: true }
      ]
    });
  });
});
