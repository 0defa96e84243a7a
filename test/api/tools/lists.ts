import type { ListDeclarations } from '../http/list-declarations.ts';

export const lists: ListDeclarations = {
  'actions.exportTools': {
    whole: {
      '': 'an export: a tool whose schema is cut is another tool',
      tools: 'as many as the page has',
      names: 'one for each tool',
      dropped: 'what was left out of the schemas of the page',
      tool: 'a name of a tool',
      keyword: 'of JSON Schema',
      reason: 'one of a few',
    },
  },
};
