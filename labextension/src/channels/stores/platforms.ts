/**
 * What a person has to know about each chat platform to add a channel. Pure. The server checks what is written
 * (`channels/platforms.py`).
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Channel } from '../../api/types';
import manifest from './slackManifest.json';

export type Platform = Channel['platform'];

export type SecretField = 'appToken' | 'token';

/** The fields of the secrets that each platform needs, `token` first. */
export const SECRETS = {
  telegram: ['token'],
  slack: ['token', 'appToken'],
  discord: ['token'],
  web: [],
  apprise: ['token'],
  webhook: []
} as const satisfies Record<Platform, readonly SecretField[]>;

/** The URL of an address, which may be relative to the Jupyter server. */
export function onServer(address: string, serverUrl: string): string {
  return /^[a-z]+:/i.test(address) ? address : new URL(address, serverUrl).href;
}

/** Whether people write as those who are logged in here, so that no code, and no bot, is needed. */
export function isByLogin(platform: Platform): boolean {
  return platform === 'web';
}

export function secretsOf(platform: Platform): readonly SecretField[] {
  return SECRETS[platform];
}

export interface ISecret {
  label: string;
  /** What it is, for a new channel. */
  hint: string;
}

export interface IPlatform {
  title: string;
  /** Where the secrets come from. */
  firstSteps: string;
  /** A page that creates the bot, on which people write, or that says how to continue. */
  create?: { label: string; url: string };
  /** One for each of `SECRETS`. */
  secrets: readonly ISecret[];
  /** What the address of another server is, if there can be another one. */
  address?: string;
  /** The label of that address, if a channel cannot do without it. */
  receiver?: string;
  /** Nobody can write there. */
  onlySends?: true;
}

/** Slack fills in its form from the manifest. Source: https://docs.slack.dev/app-manifests, sharing manifests. */
const CREATE_SLACK_APP = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`;

const DISCORD_PORTAL = 'https://discord.com/developers/applications';

export const PLATFORMS: readonly Platform[] = [
  'telegram',
  'slack',
  'discord',
  'web',
  'apprise',
  'webhook'
];

export function platformOf(platform: Platform, trans: TranslationBundle): IPlatform {
  switch (platform) {
    case 'telegram':
      return {
        title: trans.__('Telegram'),
        firstSteps: trans.__(
          'In Telegram, write /newbot to @BotFather. It asks for a name and tells you the token.'
        ),
        secrets: [
          {
            label: trans.__('Token'),
            hint: trans.__('Whoever has the token controls the bot. It is never shown again.')
          }
        ],
        address: trans.__('If you run a Bot API server: its address. If empty, Telegram’s is used.')
      };
    case 'slack':
      return {
        title: trans.__('Slack'),
        firstSteps: trans.__(
          'Create an app in your workspace and install it there. Whoever has its tokens controls the app. They are never shown again.'
        ),
        create: { label: trans.__('Create the app'), url: CREATE_SLACK_APP },
        secrets: [
          {
            label: trans.__('Bot token'),
            hint: trans.__('Begins with xoxb-. In the settings of the app: Install App.')
          },
          {
            label: trans.__('App token'),
            hint: trans.__(
              'Begins with xapp-. In the settings of the app: Basic Information, App-Level Tokens, with the scope connections:write.'
            )
          }
        ],
        address: trans.__(
          'For GovSlack: https://slack-gov.com. If empty, https://slack.com is used.'
        )
      };
    case 'discord':
      return {
        title: trans.__('Discord'),
        firstSteps: trans.__(
          'In the Developer Portal of Discord, create an application. Invite its bot to a server in which you are: people can write to it only if they share a server with it.'
        ),
        create: { label: trans.__('Open the Developer Portal'), url: DISCORD_PORTAL },
        secrets: [
          {
            label: trans.__('Token'),
            hint: trans.__(
              'In the settings of the application: Bot, Reset Token. Whoever has the token controls the bot. It is never shown again.'
            )
          }
        ],
        address: trans.__(
          'Of another server that speaks Discord’s protocol. If empty, https://discord.com is used.'
        )
      };
    case 'web':
      return {
        title: trans.__('Web chat'),
        firstSteps: trans.__(
          'A page of this server, made for a phone. People who are logged in and can see this channel write there, without an account elsewhere.'
        ),
        secrets: []
      };
    case 'apprise':
      return {
        title: trans.__('Mail and other services'),
        firstSteps: trans.__(
          'Delivers the posts of agents and your notifications. Nobody can write to agents through it.'
        ),
        create: {
          label: trans.__('Find the address of a service'),
          url: 'https://appriseit.com/services/'
        },
        secrets: [
          {
            label: trans.__('Address'),
            hint: trans.__(
              'Such as mailto://name:password@example.org or ntfy://topic. It is never shown again.'
            )
          }
        ],
        onlySends: true
      };
    case 'webhook':
      return {
        title: trans.__('Webhook'),
        firstSteps: trans.__(
          'Connects any program: it sends messages to this server and receives the answers, both as signed HTTP requests. After you have added the channel, create its secret on its page.'
        ),
        secrets: [],
        receiver: trans.__('Receiver'),
        address: trans.__(
          'The address to which answers are sent. It must begin with https://, except on this machine. Everybody who can see this channel sees it.'
        )
      };
  }
}
