import type { AnyRoute } from '../http/define-route.ts';
import { linkChatUserRoute, unlinkChatUserRoute } from './chat-links.ts';
import { connectDiscordRoute, connectSlackRoute } from './connect.ts';
import { listIntegrationsRoute } from './list-integrations.ts';
import { listSlackChannelsRoute, setSlackChannelRoute } from './slack-channels.ts';
import { testDiscordRoute, testSlackRoute } from './test-integration.ts';
import { toggleIntegrationRoute } from './toggle-integration.ts';

export const integrationRoutes: AnyRoute[] = [
  listIntegrationsRoute,
  connectDiscordRoute,
  testDiscordRoute,
  connectSlackRoute,
  listSlackChannelsRoute,
  setSlackChannelRoute,
  testSlackRoute,
  toggleIntegrationRoute,
  linkChatUserRoute,
  unlinkChatUserRoute,
];
