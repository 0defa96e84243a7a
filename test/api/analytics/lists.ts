import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'analytics.agents': { whole: { versions: 'at most ten texts of sixty characters' } },
};
