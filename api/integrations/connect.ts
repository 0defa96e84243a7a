import { connectIntegration, type NewIntegration } from '../../db/integrations/integrations.ts';
import { validationError } from '../../domain/errors.ts';
import type { ChatReply } from '../../domain/integrations/chat-client.ts';
import { type ChatProvider, parseDiscordWebhook } from '../../domain/integrations/integrations.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { type Audit, type Caller, defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { CHAT_TIMEOUT_MS, textOf, unavailable } from './ask-chat.ts';
import { connectDiscordBody, connectSlackBody, integrationSchema, presentIntegration } from './schemas.ts';

const ONE_ENVIRONMENT =
  'Buttons need an app of their own for each environment: an app has one address that clicks are sent to, and an integration decides ' +
  'approvals of its own environment only.';

const AGAIN =
  'Connecting the same account again replaces its credential: 200 in place of 201. Every chat user must then be linked anew, because ' +
  'whoever holds the new credential may sign clicks. It takes no Idempotency-Key, because nothing of a credential is kept outside of ' +
  'the vault, not even a digest.';

const WEBHOOK_URL_FORM =
  'must be the URL of a Discord webhook and nothing more: https://discord.com/api/webhooks/{id}/{token}. It takes no query, such as ' +
  '?thread_id=…, and no fragment: approvals are posted to the channel of the webhook';

export const connectDiscordRoute = defineRoute({
  of: 'environment',
  id: 'integrations.discord.connect',
  method: 'POST',
  path: '/api/v2/integrations/discord',
  summary: 'Connect a Discord channel',
  description:
    'By the URL of an incoming webhook, which Discord is asked about first. With the `publicKey` of the application that owns the ' +
    `webhook, messages have buttons that decide; without it they have a link. ${ONE_ENVIRONMENT}\n\n${AGAIN}`,
  scope: 'integrations:write',
  role: 'admin',
  request: { body: connectDiscordBody },
  response: { 200: integrationSchema, 201: integrationSchema },
  errors: ['QUOTA_EXCEEDED'],
  async prepare({ body, caller, deps }): Promise<NewIntegration> {
    const webhook = parseDiscordWebhook(body.webhookUrl);
    if (webhook === null) throw issue('webhookUrl', WEBHOOK_URL_FORM);
    const asked = { id: webhook.id, webhookToken: webhook.token };
    const found = known('discord', 'webhookUrl', await deps.chat.discord(callOf(caller), asked, null));
    const publicKey = body.publicKey?.toLowerCase() ?? null;
    const applicationId = textOf(found['application_id']) || null;
    if (publicKey !== null && applicationId === null) {
      throw issue('publicKey', 'no application owns this webhook, so its messages cannot have buttons: leave it out');
    }
    const name = textOf(found['name']) || webhook.id;
    const channelId = textOf(found['channel_id']);
    return {
      provider: 'discord',
      name: body.name ?? shortName(name),
      account: { id: webhook.id, name },
      channel: { id: channelId, name: channelId },
      applicationId,
      publicKey,
      takesClicks: publicKey !== null,
      credential: { webhookToken: webhook.token },
    };
  },
  change: (tx, { caller, deps }, wanted) => connected(tx, deps, caller, wanted),
});

export const connectSlackRoute = defineRoute({
  of: 'environment',
  id: 'integrations.slack.connect',
  method: 'POST',
  path: '/api/v2/integrations/slack',
  summary: 'Connect a Slack workspace',
  description:
    'By the bot token of a Slack app of yours, which Slack is asked about first. With the signing secret of the app, messages have ' +
    `buttons that decide; without it they have a link. ${ONE_ENVIRONMENT} Choose the channel afterwards.\n\n${AGAIN}`,
  scope: 'integrations:write',
  role: 'admin',
  request: { body: connectSlackBody },
  response: { 200: integrationSchema, 201: integrationSchema },
  errors: ['QUOTA_EXCEEDED'],
  async prepare({ body, caller, deps }): Promise<NewIntegration> {
    const { botToken, signingSecret = null } = body;
    const found = known('slack', 'botToken', await deps.chat.slack(callOf(caller), botToken, 'auth.test', {}));
    const id = textOf(found['team_id']);
    if (id === '') throw issue('botToken', 'Slack does not say which workspace it is of');
    const name = textOf(found['team']) || id;
    return {
      provider: 'slack',
      name: body.name ?? shortName(name),
      account: { id, name },
      channel: null,
      applicationId: null,
      publicKey: null,
      takesClicks: signingSecret !== null,
      credential: { botToken, signingSecret },
    };
  },
  change: (tx, { caller, deps }, wanted) => connected(tx, deps, caller, wanted),
});

const shortName = (name: string): string => name.slice(0, 100);

function callOf({ workspaceId }: Caller): { workspaceId: string; integrationId: string; timeoutMs: number } {
  return { workspaceId, integrationId: 'new', timeoutMs: CHAT_TIMEOUT_MS };
}

function issue(member: string, message: string): Error {
  return validationError([{ path: `body.${member}`, message }]);
}

/** A credential that the chat system refuses is a mistake in the request. */
function known(provider: ChatProvider, member: string, reply: ChatReply): JsonObject {
  if (reply.kind === 'done') return reply.data;
  if (reply.kind === 'again') throw unavailable(provider, reply.reason);
  throw issue(member, `is refused: ${reply.reason}`);
}

interface Connected {
  reply: { status: 200 | 201; data: ReturnType<typeof presentIntegration> };
  audit: Audit;
}

async function connected(
  tx: EnvironmentTransaction,
  deps: WorkDependencies,
  { tenant }: Caller,
  wanted: NewIntegration,
): Promise<Connected> {
  const { integration, created } = await connectIntegration(tx, deps.vault, tenant, wanted);
  return {
    reply: { status: created ? 201 : 200, data: presentIntegration(integration) },
    audit: {
      action: created ? 'integration.connected' : 'integration.reconnected',
      target: { type: 'integration', id: integration.id },
      details: {
        provider: wanted.provider,
        account: wanted.account.id,
        name: wanted.name,
        buttons: wanted.takesClicks,
      },
    },
  };
}
