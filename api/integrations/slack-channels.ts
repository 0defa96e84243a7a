import { getIntegration, openSlack, setSlackChannel } from '../../db/integrations/integrations.ts';
import { notFound } from '../../domain/errors.ts';
import type { ChatReply } from '../../domain/integrations/chat-client.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type Caller, defineRoute } from '../http/define-route.ts';
import { answerOf, CHAT_TIMEOUT_MS, credentialOf } from './ask-chat.ts';
import { channelOf, readChannels } from './read-channels.ts';
import {
  integrationParams,
  integrationSchema,
  presentIntegration,
  setChannelBody,
  slackChannelsSchema,
} from './schemas.ts';

const OWNS = 'Slack is called between its reads, and no connection is held meanwhile.';

export const listSlackChannelsRoute = defineRoute({
  of: 'environment',
  id: 'integrations.slack.channels',
  method: 'GET',
  path: '/api/v2/integrations/slack/{id}/channels',
  summary: 'List the channels of the Slack workspace',
  description:
    'Public channels, and the private ones that the bot is in, as Slack tells them now; archived ones are left out.',
  scope: 'integrations:read',
  role: 'member',
  request: { params: integrationParams },
  response: { 200: slackChannelsSchema },
  errors: ['CONFLICT'],
  ownsItsTransaction: OWNS,
  audited: 'none: it changes nothing',
  async handler({ params: { id }, caller, deps }) {
    const ask = await askerOf(deps, caller, id);
    const data = await readChannels((body, timeoutMs) => ask('conversations.list', body, timeoutMs));
    return { status: 200, data };
  },
});

export const setSlackChannelRoute = defineRoute({
  of: 'environment',
  id: 'integrations.slack.channel',
  method: 'PATCH',
  path: '/api/v2/integrations/slack/{id}/channel',
  summary: 'Choose the Slack channel',
  description:
    'Slack is asked about the channel first; 409 says what it refused. Approvals that are posted from now on go there.',
  scope: 'integrations:write',
  role: 'admin',
  request: { params: integrationParams, body: setChannelBody },
  response: { 200: integrationSchema },
  errors: ['CONFLICT'],
  ownsItsTransaction: OWNS,
  audited: 'recorded',
  async handler({ params: { id }, body: { channelId }, caller, deps, transaction, recordAudit }) {
    const ask = await askerOf(deps, caller, id);
    const { channel } = answerOf('slack', await ask('conversations.info', { channel: channelId }, CHAT_TIMEOUT_MS));
    const { name } = channelOf(isJsonObject(channel) ? channel : {});
    const integration = await transaction(async (tx) => {
      if (!(await setSlackChannel(tx, id, { id: channelId, name }))) throw notFound('integration');
      const changed = await getIntegration(tx, id);
      if (changed === null) throw new Error(`integration ${id} was changed and is gone`);
      await recordAudit(tx, {
        action: 'integration.channel_changed',
        target: { type: 'integration', id },
        details: { channel: channelId, name },
      });
      return changed;
    });
    return { status: 200, data: presentIntegration(integration) };
  },
});

type Ask = (method: string, body: JsonObject, timeoutMs: number) => Promise<ChatReply>;

async function askerOf(deps: ApiDependencies, { tenant, workspaceId }: Caller, id: string): Promise<Ask> {
  const found = await deps.db.withEnvironment(tenant, (tx) => credentialOf(tx, id, 'slack'));
  const { botToken } = openSlack(deps.resealing, tenant, found);
  return (method, body, timeoutMs) =>
    deps.chat.slack({ workspaceId, integrationId: id, timeoutMs }, botToken, method, body);
}
