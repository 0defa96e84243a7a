import { newId } from '../../../domain/ids.ts';
import { nothing, type RouteFixtures, some } from '../suites/fixture.ts';
import type { World } from '../suites/world.ts';

/** A pending, free-standing approval that another principal requested. */
async function plantApproval({ api }: World): Promise<{ id: string; bindingDigest: string }> {
  const [id, bindingDigest] = [newId('approval'), `sha256:${'a'.repeat(64)}`];
  await api.database.asOwner(
    `INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers,
       prevent_self, requested_by, expires_at)
     VALUES ($1, $2, 'free_standing', 'planted', 'planted', '{}', $3, 'caller', 'planted', 1, '[{}]', true,
       '{"type":"api_key","id":"key_planted"}', now() + interval '1 day')`,
    [id, api.database.tenants.development.environmentId, bindingDigest],
  );
  return { id, bindingDigest };
}

export const fixtures: RouteFixtures = {
  'approvals.list': { request: nothing, plantRow: plantApproval },
  'approvals.create': {
    request: () => Promise.resolve({ body: { title: some(), summary: 'It is agreed to.', payload: { note: 'x' } } }),
  },
  'approvals.get': { request: async (world) => ({ params: { id: (await plantApproval(world)).id } }) },
  'approvals.approve': {
    request: async (world) => {
      const { id, bindingDigest } = await plantApproval(world);
      return { params: { id }, body: { bindingDigest } };
    },
  },
  'approvals.deny': {
    request: async (world) => ({ params: { id: (await plantApproval(world)).id }, body: { note: 'Not today.' } }),
  },
};
