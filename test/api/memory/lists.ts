import type { ListDeclarations } from '../http/list-declarations.ts';

const CONTENT = { content: '8,192 characters', metadata: '8 KiB' };

export const lists: ListDeclarations = { 'memory.list': { whole: CONTENT }, 'memory.history': { whole: CONTENT } };
