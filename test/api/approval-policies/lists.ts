import type { TestService } from '../../harness/service.ts';
import { BEGINNING, idOf, type ListDeclarations } from '../http/list-declarations.ts';
import { unique } from '../suites/fixture.ts';

async function plantLargePolicy(service: TestService): Promise<{ policyId: string }> {
  const rules = Array.from({ length: 5 }, (_, n) => ({
    id: `large-${n}`,
    match: { actions: ['nothing'] },
    when: `input.a == "${BEGINNING}"`,
    effect: 'allow',
  }));
  const document = { schema: 'approval-policy/v1', name: unique('large'), priority: 1, rules };
  return { policyId: idOf(await service.post('/api/v2/approval-policies', { document })) };
}

export const lists: ListDeclarations = {
  'approvalPolicies.list': {
    cut: {
      plant: plantLargePolicy,
      members: [{ member: 'document' }],
      record: ({ id }) => `/api/v2/approval-policies/${id}`,
    },
  },
  'approvalPolicies.versions.list': {
    cut: {
      plant: plantLargePolicy,
      members: [{ member: 'document' }],
      record: ({ version }, { policyId }) => `/api/v2/approval-policies/${policyId}/versions/${version}`,
    },
  },
};
