import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'auth.connected-apps.list': { whole: { scopes: 'the scopes that there are' } },
};
