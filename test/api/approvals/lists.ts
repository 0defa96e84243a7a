import { BOUNDED_BY_ACTION } from '../actions/lists.ts';
import { idOf, LARGE, type ListDeclarations } from '../http/list-declarations.ts';
import { plantLargeInvocation } from '../invocations/lists.ts';

const ofInvocation = { kind: 'invocation' };

export const lists: ListDeclarations = {
  'approvals.list': {
    whole: {
      approvers: 'bounded in the document of a policy',
      decisions: 'one of each approver',
      impact: BOUNDED_BY_ACTION,
      capabilities: 'declared by an adapter',
      allowances: 'the limits that apply to one effect',
    },
    cut: {
      plant: async (service) => {
        await plantLargeInvocation(service);
        const asked = { title: 'Deploy', summary: 'Deploys.', payload: LARGE };
        idOf(await service.post('/api/v2/approvals', asked));
        return {};
      },
      members: [
        { member: 'payload', query: { kind: 'free_standing' } },
        { member: 'preview.request', query: ofInvocation },
        {
          member: 'preview.blocks',
          query: ofInvocation,
          sql: 'UPDATE previews SET blocks = jsonb_build_array($LARGE)',
        },
        { member: 'preview.target', query: ofInvocation, sql: 'UPDATE previews SET target = $LARGE' },
        {
          member: 'preview.preconditions',
          query: ofInvocation,
          sql: 'UPDATE previews SET preconditions = preconditions || $LARGE',
        },
      ],
      record: ({ id }) => `/api/v2/approvals/${id}`,
    },
  },
};
