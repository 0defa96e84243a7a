import { idOf, LARGE, type ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'sessions.list': {
    cut: {
      plant: async (service) => {
        idOf(await service.post('/api/v2/sessions', { metadata: { large: LARGE } }));
        return {};
      },
      members: [{ member: 'metadata' }],
      record: ({ id }) => `/api/v2/sessions/${id}`,
    },
  },
  'sessions.messages.list': {
    whole: { '': 'a message is of 64 KiB at most, and a conversation is read whole' },
  },
};
