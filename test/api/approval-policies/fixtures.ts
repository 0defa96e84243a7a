import { plantAction, REFUND } from '../actions/fixtures.ts';
import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** A policy under a name of its own. It covers an action that no fixture invokes. */
const refundPolicy = () => ({
  schema: 'approval-policy/v1',
  name: unique('large refunds'),
  rules: [
    {
      id: 'over-500-usd',
      match: { actions: ['refund.large'] },
      when: 'input.amount > 50000',
      effect: 'require_approval',
      approval: { quorum: 2, approvers: { roles: ['admin'] }, expiresIn: 'PT4H' },
    },
  ],
});

/** The id of a new policy. */
async function plantPolicy({ api, key }: World): Promise<string> {
  const body = { document: refundPolicy() };
  const { id } = await planted<{ id: string }>(api.call('POST', '/api/v2/approval-policies', { key, body }));
  return id;
}

/** One more version of a policy. */
async function plantPolicyVersion({ api, key }: World, policyId: string): Promise<void> {
  const body = { document: refundPolicy() };
  await planted(api.call('PATCH', `/api/v2/approval-policies/${policyId}`, { key, body }));
}

/** A plan of one new policy, not applied. */
function plantPolicyPlan({ api, key }: World): Promise<{ planId: string; digest: string }> {
  const body = { files: [{ path: 'refunds.json', content: JSON.stringify(refundPolicy()) }] };
  return planted(api.call('POST', '/api/v2/approval-policies/files/plan', { key, body }));
}

const policy = async (world: World): Promise<FixtureRequest> => ({ params: { policyId: await plantPolicy(world) } });
const policyFiles = () => [{ path: 'refunds.json', content: JSON.stringify(refundPolicy()) }];

export const fixtures: RouteFixtures = {
  'approvalPolicies.list': { request: nothing, plantRow: plantPolicy },
  'approvalPolicies.create': { request: () => Promise.resolve({ body: { document: refundPolicy() } }) },
  'approvalPolicies.get': { request: policy },
  'approvalPolicies.update': { request: async (world) => ({ ...(await policy(world)), body: { enabled: false } }) },
  'approvalPolicies.delete': { request: policy },
  'approvalPolicies.versions.list': {
    request: policy,
    plantRow: (world, { params }) => plantPolicyVersion(world, params?.['policyId'] ?? ''),
    listedFrom: 'approval_policy_versions',
  },
  'approvalPolicies.versions.get': {
    request: async (world) => ({ params: { policyId: await plantPolicy(world), version: '1' } }),
  },
  'approvalPolicies.evaluate': {
    request: async (world) => ({ body: { action: (await plantAction(world)).name, input: REFUND } }),
  },
  'approvalPolicies.files.plan': { request: () => Promise.resolve({ body: { files: policyFiles() } }) },
  'approvalPolicies.files.apply': {
    request: async (world) => {
      const { planId, digest } = await plantPolicyPlan(world);
      return { body: { planId, digest } };
    },
  },
  'approvalPolicies.files.test': {
    request: () =>
      Promise.resolve({
        body: {
          files: policyFiles(),
          fixtures: [
            {
              name: 'a refund of 600 USD waits for two admins',
              request: { action: { name: 'refund.large' }, input: { payment: 'pay_1002', amount: 60_000 } },
              expect: { effect: 'require_approval' },
            },
          ],
        },
      }),
  },
};
