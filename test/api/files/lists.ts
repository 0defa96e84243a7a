import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = { 'files.list': { whole: { metadata: '16 KiB' } } };
