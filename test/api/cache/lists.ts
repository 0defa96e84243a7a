import { idOf, LARGE, type ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'cache.list': {
    whole: { attributes: '16 of 200 characters' },
    cut: {
      plant: async (service) => {
        idOf(await service.post('/api/v2/cache', { prompt: LARGE, response: LARGE }));
        return {};
      },
      members: [{ member: 'prompt' }, { member: 'response' }],
      record: ({ id }) => `/api/v2/cache/${id}`,
    },
  },
};
