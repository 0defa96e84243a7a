import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'audit.list': { whole: { details: 'names and numbers that each entry chooses: docs/audit.md' } },
};
