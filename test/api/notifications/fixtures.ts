import type { RouteFixtures } from '../suites/fixture.ts';
import { nothing } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { raise } from './support.ts';

const one = async ({ api }: World): Promise<FixtureRequest> => {
  const id = await raise(api);
  if (id === null) throw new Error('a notification with a key of its own is new');
  return { params: { id } };
};

const alertWebhookUrl = 'https://alerts.example/hook';

export const fixtures: RouteFixtures = {
  'notifications.list': { request: nothing, plantRow: ({ api }) => raise(api) },
  'notifications.unreadCount': { request: nothing },
  'notifications.read': { request: one },
  'notifications.readAll': { request: nothing },
  'notifications.delete': { request: one },
  'notifications.preferences.get': { request: nothing },
  'notifications.preferences.update': { request: () => Promise.resolve({ body: { alertWebhookUrl } }) },
  'notifications.preferences.testWebhook': {
    request: async ({ api, key }) => {
      await api.call('PATCH', '/api/v2/notifications/preferences', { key, body: { alertWebhookUrl } });
      return {};
    },
  },
  'notifications.preferences.getOwn': { request: nothing },
  'notifications.preferences.updateOwn': {
    request: () => Promise.resolve({ body: { mutedTypes: ['message.failed'] } }),
  },
};
