import { idOf, LARGE, type ListDeclarations } from '../http/list-declarations.ts';
import { unique } from '../suites/fixture.ts';

export const lists: ListDeclarations = {
  'events.list': {
    whole: { message: 'the service makes it' },
    cut: {
      plant: async (service) => {
        const name = unique('large');
        idOf(await service.post('/api/v2/events/topics', { name }));
        idOf(await service.post('/api/v2/events', { topic: name, type: 'large', data: LARGE }));
        return {};
      },
      members: [{ member: 'data' }],
      record: ({ eventId }) => `/api/v2/events/${eventId}`,
    },
  },
  'events.subscriptions.list': {
    whole: { eventTypes: 'fifty patterns' },
    cut: {
      plant: async (service) => {
        const ref = idOf(await service.post('/api/v2/events/topics', { name: unique('large') }));
        const subscription = { url: 'https://example.com/', headers: { 'x-large': LARGE } };
        idOf(await service.post(`/api/v2/events/topics/${ref}/subscriptions`, subscription));
        return { ref };
      },
      members: [{ member: 'headers' }],
      record: ({ id }) => `/api/v2/events/subscriptions/${id}`,
    },
  },
  'events.subscriptions.recoveries.list': { whole: { message: 'the service makes it' } },
};
