import { openDiscord, openSlack } from '../../db/integrations/integrations.ts';
import { ServiceError } from '../../domain/errors.ts';
import { discordTest } from '../../domain/integrations/discord-message.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { answerOf, CHAT_TIMEOUT_MS, credentialOf } from './ask-chat.ts';
import { integrationParams, sentSchema } from './schemas.ts';

const TEST_TEXT = 'This is a test message. Approvals will be posted here.';
const OWNS = 'The chat system is called between its reads, and no connection is held meanwhile.';
const AUDITED = 'none: it changes nothing of ours';

const common = {
  scope: 'integrations:write',
  role: 'admin',
  request: { params: integrationParams },
  response: { 200: sentSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  ownsItsTransaction: OWNS,
  audited: AUDITED,
  exempt: {
    heldCredential:
      'It writes nothing, and posts no more than a test message for a credential that is revoked meanwhile.',
  },
} as const;

export const testDiscordRoute: AnyRoute = defineRoute({
  of: 'environment',
  ...common,
  id: 'integrations.discord.test',
  method: 'POST',
  path: '/api/v2/integrations/discord/{id}/test',
  summary: 'Post a test message to a Discord channel',
  description: 'Also while the integration is off. 409 says what Discord refused.',
  async handler({ params: { id }, caller, deps }) {
    const found = await deps.db.withEnvironment(caller.tenant, (tx) => credentialOf(tx, id, 'discord'));
    const call = { workspaceId: caller.workspaceId, integrationId: id, timeoutMs: CHAT_TIMEOUT_MS };
    const webhook = openDiscord(deps.resealing, caller.tenant, found);
    answerOf('discord', await deps.chat.discord(call, webhook, discordTest(TEST_TEXT)));
    return { status: 200, data: { message: 'Discord took the test message.' } };
  },
});

export const testSlackRoute: AnyRoute = defineRoute({
  of: 'environment',
  ...common,
  id: 'integrations.slack.test',
  method: 'POST',
  path: '/api/v2/integrations/slack/{id}/test',
  summary: 'Post a test message to the Slack channel',
  description: 'Also while the integration is off. 409 says what Slack refused, or that no channel is chosen.',
  async handler({ params: { id }, caller, deps }) {
    const found = await deps.db.withEnvironment(caller.tenant, (tx) => credentialOf(tx, id, 'slack'));
    if (found.channel === null) throw new ServiceError('CONFLICT', { message: 'Choose a channel first.' });
    const call = { workspaceId: caller.workspaceId, integrationId: id, timeoutMs: CHAT_TIMEOUT_MS };
    const { botToken } = openSlack(deps.resealing, caller.tenant, found);
    const body = { channel: found.channel.id, text: TEST_TEXT };
    answerOf('slack', await deps.chat.slack(call, botToken, 'chat.postMessage', body));
    return { status: 200, data: { message: 'Slack took the test message.' } };
  },
});
