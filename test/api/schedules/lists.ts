import { idOf, type ListDeclarations } from '../http/list-declarations.ts';
import { LARGE_DELIVERY } from '../messages/lists.ts';

export const lists: ListDeclarations = {
  'schedules.list': {
    whole: { message: 'the service makes it' },
    cut: {
      plant: async (service) => {
        const schedule = { cron: '0 9 * * *', destination: LARGE_DELIVERY, paused: true };
        idOf(await service.post('/api/v2/schedules', schedule));
        return {};
      },
      members: [{ member: 'destination.body' }, { member: 'destination.headers' }],
      record: ({ id }) => `/api/v2/schedules/${id}`,
    },
  },
  'schedules.runs': {
    whole: { messages: 'one for each endpoint of a group, a hundred at most', message: 'the service makes it' },
  },
};
