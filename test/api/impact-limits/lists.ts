import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'impactLimits.list': { whole: { thresholds: 'bounded by its input', crossings: 'one for each threshold' } },
};
