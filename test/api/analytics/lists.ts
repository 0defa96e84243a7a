import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'analytics.agents': { whole: { versions: 'at most ten texts of sixty characters' } },
  'analytics.scheduleExecutions': {
    whole: { messageIds: 'one for each endpoint of a group, a hundred at most', message: 'the service makes it' },
  },
};
