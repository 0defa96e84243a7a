import { idOf, LARGE, type ListDeclarations } from '../http/list-declarations.ts';

/** What a request says of a delivery with a large body and headers. */
export const LARGE_DELIVERY = { url: 'https://example.com/', headers: { 'x-large': LARGE }, body: LARGE };

export const lists: ListDeclarations = {
  'messages.list': {
    whole: { responseBody: '8 KiB' },
    cut: {
      plant: async (service) => {
        idOf(await service.post('/api/v2/messages/publish', { ...LARGE_DELIVERY, delay: 3_600 }));
        return {};
      },
      members: [{ member: 'body' }, { member: 'headers' }],
      record: ({ messageId }) => `/api/v2/messages/${messageId}`,
    },
  },
  'messages.attempts.list': {
    whole: { responseBody: '8 KiB', responseHeaders: 'as many as are kept, each of 1 KiB' },
  },
};
