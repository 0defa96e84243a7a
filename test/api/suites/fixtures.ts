import type { AnyRoute } from '../../../api/http/define-route.ts';
import { policyDocument } from '../approval-policies/support.ts';
import { PASSWORD } from '../harness/people.ts';
import type { World } from './world.ts';

export interface FixtureRequest {
  /** Path parameters, of rows that belong to the development environment. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** In place of the credential of a route that needs a special one. */
  headers?: Record<string, string>;
}

export interface RouteFixture {
  /** A request that the route answers with success; called anew for each use. */
  request(world: World): Promise<FixtureRequest>;
  /** Of a list: makes one more row that this request lists. */
  plantRow?(world: World, request: FixtureRequest): Promise<unknown>;
}

const nothing = (): Promise<FixtureRequest> => Promise.resolve({});
const action = async (world: World): Promise<FixtureRequest> => ({ params: { ref: (await world.plantAction()).id } });
const secret = async (world: World): Promise<FixtureRequest> => ({ params: { name: await world.plantSecret() } });

const budget = async (world: World): Promise<FixtureRequest> => ({ params: { apiKeyId: await world.plantBudget() } });

const policy = async (world: World): Promise<FixtureRequest> => ({ params: { policyId: await world.plantPolicy() } });
const policyFiles = () => [{ path: 'refunds.json', content: JSON.stringify(policyDocument()) }];

const workspace = (world: World): Promise<FixtureRequest> =>
  Promise.resolve({ params: { workspaceId: world.api.database.tenants.development.workspaceId } });
const environment = (world: World): Promise<FixtureRequest> =>
  Promise.resolve({ params: { ...world.api.database.tenants.development } });
const member = async (world: World): Promise<FixtureRequest> => ({
  params: {
    workspaceId: world.api.database.tenants.development.workspaceId,
    userId: (await world.person('member')).userId,
  },
});
const some = (): string => Math.random().toString(36).slice(2);
const impactLimit = async (world: World): Promise<FixtureRequest> => ({
  params: { id: await world.plantImpactLimit() },
});
const resolution = { outcome: 'failed', evidence: { summary: 'looked it up' } };
const message = () => ({ url: 'https://example.com/hook', delay: 3_600, label: some() });

/** One entry for each route, by its id. A route without one fails the suites: add it here and every suite covers it. */
export const FIXTURES: Record<string, RouteFixture> = {
  'auth.identity': { request: nothing },
  'auth.session.create': {
    request: async (world) => ({ body: { email: (await world.person('member')).email, password: PASSWORD } }),
  },
  'auth.session.get': { request: nothing },
  'auth.session.delete': { request: nothing },
  'auth.password.change': {
    request: () => Promise.resolve({ body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} and another` } }),
  },
  'auth.invitations.accept': {
    request: async (world) => {
      const body = { token: await world.plantInvitation(), password: PASSWORD, name: 'Invited Person' };
      return { body };
    },
  },

  'members.list': { request: workspace, plantRow: (world) => world.person('member') },
  'members.invite': {
    request: async (world) => ({ ...(await workspace(world)), body: { email: `${some()}@example.test` } }),
  },
  'members.update': { request: async (world) => ({ ...(await member(world)), body: { role: 'admin' } }) },
  'members.remove': { request: member },

  'apiKeys.list': {
    request: workspace,
    plantRow: (world) => world.api.createKey(world.api.database.tenants.development),
  },
  'apiKeys.create': {
    request: async (world) => ({
      ...(await workspace(world)),
      body: { name: 'made', environmentId: world.api.database.tenants.development.environmentId },
    }),
  },
  'apiKeys.delete': {
    request: async (world) => {
      const { workspaceId } = world.api.database.tenants.development;
      const { record } = await world.api.createKey(world.api.database.tenants.development);
      return { params: { workspaceId, keyId: record.id } };
    },
  },

  'environments.list': { request: workspace },
  'environments.create': {
    request: async (world) => ({ ...(await workspace(world)), body: { name: `made ${some()}`, kind: 'development' } }),
  },
  'environments.get': { request: environment },
  'environments.update': { request: async (world) => ({ ...(await environment(world)), body: { protected: false } }) },
  'environments.halt': { request: async (world) => ({ ...(await environment(world)), body: { reason: 'a drill' } }) },
  'environments.resume': { request: environment },

  'audit.list': { request: workspace, plantRow: (world) => world.plantSecret() },

  'budgets.list': { request: nothing, plantRow: (world) => world.plantBudget() },
  'budgets.get': { request: budget },
  'budgets.put': { request: async (world) => ({ ...(await budget(world)), body: { caps: { total: 5_000_000 } } }) },
  'budgets.delete': { request: budget },

  'approvalPolicies.list': { request: nothing, plantRow: (world) => world.plantPolicy() },
  'approvalPolicies.create': { request: () => Promise.resolve({ body: { document: policyDocument() } }) },
  'approvalPolicies.get': { request: policy },
  'approvalPolicies.update': { request: async (world) => ({ ...(await policy(world)), body: { enabled: false } }) },
  'approvalPolicies.delete': { request: policy },
  'approvalPolicies.versions.list': {
    request: policy,
    plantRow: (world, { params }) => world.plantPolicyVersion(params?.['policyId'] ?? ''),
  },
  'approvalPolicies.versions.get': {
    request: async (world) => ({ params: { policyId: await world.plantPolicy(), version: '1' } }),
  },
  'approvalPolicies.evaluate': {
    request: async (world) => ({ body: { action: (await world.plantAction()).name, input: {} } }),
  },
  'approvalPolicies.files.plan': { request: () => Promise.resolve({ body: { files: policyFiles() } }) },
  'approvalPolicies.files.apply': {
    request: async (world) => {
      const { planId, digest } = await world.plantPolicyPlan();
      return { body: { planId, digest } };
    },
  },
  'approvalPolicies.files.test': {
    request: () =>
      Promise.resolve({
        body: {
          files: policyFiles(),
          fixtures: [
            { name: 'one', request: { action: { name: 'refund.create' }, input: {} }, expect: { effect: 'allow' } },
          ],
        },
      }),
  },

  'messages.publish': { request: () => Promise.resolve({ body: message() }) },
  'messages.batch': { request: () => Promise.resolve({ body: { messages: [message()] } }) },
  'messages.list': { request: nothing, plantRow: (world) => world.plantMessage() },
  'messages.get': { request: async (world) => ({ params: { messageId: await world.plantMessage() } }) },
  'messages.cancel': { request: async (world) => ({ params: { messageId: await world.plantMessage() } }) },

  'signingKeys.list': { request: nothing },
  'signingKeys.rotate': { request: () => Promise.resolve({ body: { gracePeriodSeconds: 0 } }) },

  'secrets.list': { request: nothing, plantRow: (world) => world.plantSecret() },
  'secrets.put': { request: async (world) => ({ ...(await secret(world)), body: { value: 'rotated' } }) },
  'secrets.get': { request: secret },
  'secrets.delete': { request: secret },

  'actions.list': { request: nothing, plantRow: (world) => world.plantAction() },
  'actions.create': {
    request: async () => ({
      body: {
        name: `created-${Math.random().toString(36).slice(2)}`,
        adapter: { type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } },
      },
    }),
  },
  'actions.import': {
    request: async () => ({
      body: {
        document: {
          openapi: '3.1.0',
          info: { title: `Imported ${some()}`, version: '1' },
          servers: [{ url: 'https://example.com' }],
          paths: { '/things': { get: { operationId: `list-things-${some()}`, responses: {} } } },
        },
      },
    }),
  },
  'actions.get': { request: action },
  'actions.update': { request: async (world) => ({ ...(await action(world)), body: { description: 'changed' } }) },
  'actions.archive': { request: action },
  'actions.versions.list': {
    request: action,
    plantRow: (world, { params }) => world.plantVersion(params?.['ref'] ?? ''),
  },
  'actions.listInvocations': {
    request: action,
    plantRow: (world, { params }) => world.plantInvocation(params?.['ref']),
  },
  'actions.invoke': { request: async (world) => ({ ...(await action(world)), body: { input: {} } }) },

  'invocations.list': { request: nothing, plantRow: (world) => world.plantInvocation() },
  'invocations.get': { request: async (world) => ({ params: { id: await world.plantInvocation() } }) },

  'impactLimits.list': { request: nothing, plantRow: (world) => world.plantImpactLimit() },
  'impactLimits.create': {
    request: () =>
      Promise.resolve({
        body: { name: `made ${some()}`, dimension: 'emails', cap: 10, period: 'day', thresholds: [80] },
      }),
  },
  'impactLimits.get': { request: impactLimit },
  'impactLimits.update': { request: async (world) => ({ ...(await impactLimit(world)), body: { cap: 5 } }) },
  'impactLimits.archive': { request: impactLimit },

  'approvals.list': { request: nothing, plantRow: (world) => world.plantApproval() },
  'approvals.create': {
    request: () => Promise.resolve({ body: { title: some(), summary: 'It is agreed to.', payload: { note: 'x' } } }),
  },
  'approvals.get': { request: async (world) => ({ params: { id: (await world.plantApproval()).id } }) },
  'approvals.approve': {
    request: async (world) => {
      const { id, bindingDigest } = await world.plantApproval();
      return { params: { id }, body: { bindingDigest } };
    },
  },
  'approvals.deny': {
    request: async (world) => ({ params: { id: (await world.plantApproval()).id }, body: { note: 'Not today.' } }),
  },

  'previews.create': {
    request: async (world) => ({
      params: { ref: (await world.plantGovernedAction()).id },
      body: { input: {}, expiresIn: 'PT1H' },
    }),
  },
  'previews.get': { request: async (world) => ({ params: { id: await world.plantPreview() } }) },
  'previews.refresh': { request: async (world) => ({ params: { id: await world.plantPreview() } }) },

  'effects.list': { request: nothing, plantRow: (world) => world.plantEffect() },
  'effects.get': { request: async (world) => ({ params: { id: await world.plantEffect() } }) },
  'effects.addNote': {
    request: async (world) => ({ params: { id: await world.plantEffect() }, body: { note: 'looked into it' } }),
  },
  'effects.reconcile': { request: async (world) => ({ params: { id: (await world.plantUnknown()).effectId } }) },
  'effects.replay': { request: async (world) => ({ params: { id: (await world.plantUnknown()).effectId } }) },
  'effects.resolve': {
    request: async (world) => ({ params: { id: (await world.plantUnknown()).effectId }, body: resolution }),
  },
  'invocations.resolve': {
    request: async (world) => ({
      params: { id: (await world.plantUnknown({ plain: true })).invocationId },
      body: resolution,
    }),
  },
};

export function fixtureOf(route: AnyRoute): RouteFixture {
  const fixture = FIXTURES[route.id];
  if (fixture === undefined) {
    throw new Error(`route ${route.id} has no fixture: add one to test/api/suites/fixtures.ts`);
  }
  return fixture;
}
