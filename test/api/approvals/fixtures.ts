import { newId } from '../../../domain/ids.ts';
import { nothing, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { World } from '../suites/world.ts';

const NEWSLETTER = {
  title: 'Send the March newsletter',
  summary: 'Sends the March newsletter to 1,204 subscribers.',
  payload: { newsletter: '2026-03', list: 'subscribers', recipients: 1_204 },
};

/** A pending, free-standing approval that another principal requested. */
async function plantApproval({ api }: World): Promise<{ id: string; bindingDigest: string }> {
  const [id, bindingDigest] = [newId('approval'), `sha256:${'a'.repeat(64)}`];
  await api.database.asOwner(
    `INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers,
       prevent_self, requested_by, expires_at)
     VALUES ($1, $2, 'free_standing', $4, $5, $6, $3, 'caller', 'Its caller asked for it.', 1, '[{}]', true, $7,
       now() + interval '1 day')`,
    [
      id,
      api.database.tenants.development.environmentId,
      bindingDigest,
      NEWSLETTER.title,
      NEWSLETTER.summary,
      JSON.stringify(NEWSLETTER.payload),
      JSON.stringify({ type: 'api_key', id: newId('apiKey') }),
    ],
  );
  return { id, bindingDigest };
}

export const fixtures: RouteFixtures = {
  'approvals.list': { request: nothing, plantRow: plantApproval },
  'approvals.create': {
    request: () => Promise.resolve({ body: { ...NEWSLETTER, title: unique(NEWSLETTER.title), expiresIn: 'PT4H' } }),
  },
  'approvals.get': { request: async (world) => ({ params: { id: (await plantApproval(world)).id } }) },
  'approvals.approve': {
    request: async (world) => {
      const { id, bindingDigest } = await plantApproval(world);
      return { params: { id }, body: { bindingDigest, note: 'Checked the list and the text.' } };
    },
  },
  'approvals.deny': {
    request: async (world) => ({
      params: { id: (await plantApproval(world)).id },
      body: { note: 'The subject line has a typing error.' },
    }),
  },
};
