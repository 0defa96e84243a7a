import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = { 'notifications.list': { whole: { body: 'cut when it is made' } } };
