import { BOUNDED_BY_ACTION } from '../actions/lists.ts';
import type { ListDeclarations } from '../http/list-declarations.ts';
import { plantLargeInvocation } from '../invocations/lists.ts';

const ALLOWANCES = 'the limits that apply to one effect';

export const lists: ListDeclarations = {
  'effects.list': {
    whole: {
      resolution: 'bounded by its input',
      dependsOn: 'bounded by the input of an invocation',
      impact: BOUNDED_BY_ACTION,
      capabilities: 'declared by an adapter',
      attempts: 'the newest twenty',
      chain: 'an entry for each record',
      providerIds: 'ids that an adapter names, or a bounded input',
      reservations: ALLOWANCES,
      allowances: ALLOWANCES,
    },
    cut: {
      plant: plantLargeInvocation,
      members: [
        { member: 'request' },
        { member: 'target', sql: 'UPDATE effects SET target = $LARGE' },
        { member: 'evidence.0.details', sql: 'UPDATE evidence SET details = $LARGE' },
        { member: 'preview.request' },
        { member: 'preview.blocks', sql: 'UPDATE previews SET blocks = jsonb_build_array($LARGE)' },
        { member: 'preview.target', sql: 'UPDATE previews SET target = $LARGE' },
        { member: 'preview.preconditions', sql: 'UPDATE previews SET preconditions = preconditions || $LARGE' },
      ],
      record: ({ id }) => `/api/v2/actions/effects/${id}`,
    },
  },
};
