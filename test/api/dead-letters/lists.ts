import type { ListDeclarations } from '../http/list-declarations.ts';
import { plantDeadLetters } from './plant.ts';

const LARGE_RESPONSE = `INSERT INTO message_attempts (message_id, environment_id, number, status, finished_at, response_headers)
  SELECT message_id, environment_id, 1, 'completed', now(), $LARGE FROM dead_letters`;

export const lists: ListDeclarations = {
  'deadLetters.list': {
    whole: { responseBody: '8 KiB' },
    cut: {
      plant: async (service) => {
        await plantDeadLetters(service.database);
        return {};
      },
      members: [
        { member: 'body', sql: "UPDATE message_contents SET body_kind = 'json', body = $LARGE::text" },
        { member: 'headers', sql: 'UPDATE message_contents SET headers = $LARGE' },
        { member: 'responseHeaders', sql: LARGE_RESPONSE },
      ],
      record: ({ messageId }) => `/api/v2/dlq/${messageId}`,
    },
  },
  'deadLetters.jobs.list': { whole: { message: 'the service makes it' } },
};
