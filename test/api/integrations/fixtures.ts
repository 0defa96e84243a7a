import { linkChatUserRoute } from '../../../api/integrations/chat-links.ts';
import { hashOfCode } from '../../../api/integrations/link-code.ts';
import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const PUBLIC_KEY = 'a'.repeat(64);
const webhookUrl = 'https://discord.com/api/webhooks/800000000000000001/FakeFakeFakeFakeFakeFake-token';
const DISCORD = { name: 'Approvals', webhookUrl, publicKey: PUBLIC_KEY };
const SLACK = { botToken: 'xoxb-fake-fake-fake', signingSecret: '8f742231b10e8888abcd99yyyzzz85a5' };

interface Planted {
  id: string;
}

/** The same account is the same integration, so that these are two, however often a suite asks. */
async function connected({ api, key }: World, provider: 'slack' | 'discord'): Promise<FixtureRequest> {
  const body = provider === 'slack' ? SLACK : DISCORD;
  const { id } = await planted<Planted>(api.call('POST', `/api/v2/integrations/${provider}`, { key, body }));
  return { params: { id } };
}

const choice = { channelId: 'C0123456789' };

async function withChannel(world: World): Promise<FixtureRequest> {
  const request = await connected(world, 'slack');
  const path = `/api/v2/integrations/slack/${request.params?.['id']}/channel`;
  await planted(world.api.call('PATCH', path, { key: world.key, body: choice }));
  return request;
}

/** A code as a chat would show it to one of its users. */
async function linkCode(world: World): Promise<FixtureRequest> {
  const { params } = await connected(world, 'slack');
  const { workspaceId, environmentId } = world.api.database.tenants.development;
  const code = unique('7KQ2MHX4');
  await world.api.database.asOwner(
    `INSERT INTO chat_link_codes (integration_id, chat_user_id, environment_id, chat_user_name, code_hash, expires_at)
     VALUES ($1, $2, $3, 'grace', $4, now() + interval '10 minutes')`,
    [params?.['id'], unique('U'), environmentId, hashOfCode(code)],
  );
  return { params: { workspaceId, environmentId }, body: { code } };
}

async function linked(world: World): Promise<FixtureRequest> {
  const request = await linkCode(world);
  const { integrationId } = await planted<{ integrationId: string }>(world.sendAllowed(linkChatUserRoute, request));
  return { params: { ...request.params, integrationId } };
}

export const fixtures: RouteFixtures = {
  'integrations.list': {
    request: nothing,
    plantRow: ({ api, key }) => {
      const body = { ...SLACK, botToken: `xoxb-${unique('fake-fake')}` };
      return planted(api.call('POST', '/api/v2/integrations/slack', { key, body }));
    },
  },
  'integrations.discord.connect': { request: () => Promise.resolve({ body: DISCORD }) },
  'integrations.discord.test': { request: (world) => connected(world, 'discord') },
  'integrations.slack.connect': { request: () => Promise.resolve({ body: SLACK }) },
  'integrations.slack.channels': { request: (world) => connected(world, 'slack') },
  'integrations.slack.channel': { request: async (world) => ({ ...(await connected(world, 'slack')), body: choice }) },
  'integrations.slack.test': { request: withChannel },
  'integrations.toggle': {
    request: async (world) => ({ ...(await connected(world, 'slack')), body: { isActive: false } }),
  },
  'integrations.links.create': { request: linkCode },
  'integrations.links.delete': { request: linked },
};
