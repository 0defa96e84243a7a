import { uuidv7 } from 'uuidv7';
import { decodeUuid } from '../ids.ts';
import { uuidOf } from '../uuid.ts';

/** Chat destinations of approvals: docs/integrations.md. */
export const CHAT_PROVIDERS = ['slack', 'discord'] as const;
export type ChatProvider = (typeof CHAT_PROVIDERS)[number];

export const PROVIDER_NAMES: Record<ChatProvider, string> = { slack: 'Slack', discord: 'Discord' };

export const INTEGRATION_NAME_CHARACTERS_MAX = 100;
export const INTEGRATIONS_PER_ENVIRONMENT_MAX = 100;
/** How long a link code holds. */
export const LINK_CODE_SECONDS = 600;

/** Where the chat systems are reached unless a configuration says otherwise. */
export const CHAT_ORIGINS = { slack: 'https://slack.com', discord: 'https://discord.com' } as const;

/** Unlike other public ids, that of an integration is a plain UUID (version 7). */
export const newIntegrationId = (): string => uuidv7();

const EARLIER_PREFIX = 'int_';

/** The id that a path names: a UUID, or its earlier form `int_` and 22 base62 characters. Null where it is neither. */
export function integrationIdOf(text: string): string | null {
  return text.startsWith(EARLIER_PREFIX) ? decodeUuid(text.slice(EARLIER_PREFIX.length)) : uuidOf(text);
}

export interface SlackCredential {
  botToken: string;
  /** Null when clicks cannot be verified; messages have no buttons then. */
  signingSecret: string | null;
}

export interface DiscordCredential {
  /** With the webhook's id it is the URL that posts. */
  webhookToken: string;
}

/** Somebody in a chat. Never a principal: a link says which member it is. */
export interface ChatUser {
  id: string;
  name: string;
}

/** What a decision and its audit entry say of the chat that it was taken in. */
export interface ChatAuthentication {
  provider: ChatProvider;
  integrationId: string;
  userId: string;
  userName: string;
}

const WEBHOOK_PATH = /^\/api(?:\/v\d+)?\/webhooks\/(\d{1,30})\/([\w-]{20,200})$/;
const WEBHOOK_HOSTS = new Set(['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com']);

/** The parts of a Discord webhook's URL, or null. Refuses a query: `?thread_id=…` would be lost, and post elsewhere. */
export function parseDiscordWebhook(text: string): { id: string; token: string } | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, username, password, search, hash } = new URL(text);
  const [, id, token] = WEBHOOK_PATH.exec(pathname) ?? [];
  if (search !== '' || hash !== '') return null;
  if (protocol !== 'https:' || !WEBHOOK_HOSTS.has(host) || username !== '' || password !== '') return null;
  return id === undefined || token === undefined ? null : { id, token };
}
