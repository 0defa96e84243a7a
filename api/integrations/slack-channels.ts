import { openSlack } from '../../db/integrations/records.ts';
import { getIntegration } from '../../db/integrations/get-integration.ts';
import { setSlackChannel } from '../../db/integrations/update-integration.ts';
import { notFound } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type Caller, defineRoute } from '../http/define-route.ts';
import { answerOf, CHAT_TIMEOUT_MS, credentialOf, textOf } from './ask-chat.ts';
import {
  integrationParams,
  integrationSchema,
  presentIntegration,
  setChannelBody,
  slackChannelsSchema,
} from './schemas.ts';

/** Slack's pages hold up to 1,000 channels, and few workspaces have more than these. */
const PAGES_MAX = 3;
const PAGE_SIZE = 1_000;
const OWNS = 'Slack is called between its reads, and no connection is held meanwhile.';

export const listSlackChannelsRoute = defineRoute({
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
  errors: ['NOT_FOUND', 'CONFLICT'],
  ownsItsTransaction: OWNS,
  audited: 'none: it changes nothing',
  async handler({ params: { id }, caller, deps }) {
    const ask = await askerOf(deps, caller, id);
    const channels: ReturnType<typeof channelOf>[] = [];
    let cursor = '';
    for (let page = 1; page <= PAGES_MAX; page++) {
      const answer = await ask('conversations.list', {
        types: 'public_channel,private_channel',
        exclude_archived: true,
        limit: PAGE_SIZE,
        ...(cursor === '' ? {} : { cursor }),
      });
      const found = Array.isArray(answer['channels']) ? answer['channels'].filter(isJsonObject) : [];
      channels.push(...found.map(channelOf));
      const metadata = answer['response_metadata'];
      cursor = isJsonObject(metadata) && typeof metadata['next_cursor'] === 'string' ? metadata['next_cursor'] : '';
      if (cursor === '') break;
    }
    return { status: 200, data: { channels, truncated: cursor !== '' } };
  },
});

export const setSlackChannelRoute = defineRoute({
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
  errors: ['NOT_FOUND', 'CONFLICT'],
  ownsItsTransaction: OWNS,
  audited: 'recorded',
  async handler({ params: { id }, body: { channelId }, caller, deps, transaction, recordAudit }) {
    const ask = await askerOf(deps, caller, id);
    const { channel } = await ask('conversations.info', { channel: channelId });
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

type Ask = (method: string, body: JsonObject) => Promise<JsonObject>;

async function askerOf(deps: ApiDependencies, { tenant, workspaceId }: Caller, id: string): Promise<Ask> {
  const found = await deps.db.withEnvironment(tenant, (tx) => credentialOf(tx, id, 'slack'));
  const { botToken } = openSlack(deps.resealing, tenant, found);
  const call = { workspaceId, integrationId: id, timeoutMs: CHAT_TIMEOUT_MS };
  return async (method, body) => answerOf('slack', await deps.chat.slack(call, botToken, method, body));
}

function channelOf(channel: JsonObject): { id: string; name: string; isPrivate: boolean; isMember: boolean } {
  return {
    id: textOf(channel['id']),
    name: textOf(channel['name']),
    isPrivate: channel['is_private'] === true,
    isMember: channel['is_member'] === true,
  };
}
