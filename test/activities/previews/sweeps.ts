import { expect } from 'vitest';
import type { ActivityWorld } from '../invocations/world.ts';
import { type DeclaredSweeps, deletingById, idsOf } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'old-previews': async (world) => {
      await plantOldPreviews(world);
      return {
        ...(await deletingById(world, 'previews', ['prv_a', 'prv_b', 'prv_c'])),
        checkKept: async () => {
          const { asOwner } = world.database;
          const kept = `SELECT id FROM previews WHERE id LIKE 'prv\\__%' AND length(id) < 12 ORDER BY id`;
          const unused = `SELECT preview_id AS id FROM unused_previews WHERE preview_id IN ('prv_a', 'prv_c')`;
          expect(idsOf(await asOwner(kept))).toEqual(['prv_b', 'prv_former', 'prv_next', 'prv_used', 'prv_young']);
          expect(idsOf(await asOwner(unused))).toEqual([]);
        },
      };
    },
  },
};

/** Three that may go, and four that stay: too young, superseded, the successor, which is too young, and one already used. */
async function plantOldPreviews(world: ActivityWorld): Promise<void> {
  const { invocationId } = await world.admit();
  await world.database.asOwner(
    `SET session_replication_role = 'origin';
     INSERT INTO previews (id, environment_id, action_id, version_id, adapter_type, adapter_version, invocation_id, operation_key, input, capabilities,
       target, request, request_digest, impact, blocks, preconditions, binding_digest, evidence_observed_at, expires_at, supersedes, made_by, created_by)
     SELECT v.id, i.environment_id, i.action_id, i.version_id, 'http.request', '1', CASE v.id WHEN 'prv_used' THEN i.id ELSE 'inv_' || v.id END,
       i.operation_key, i.input, '{}', '{}', '{}', 'sha256:' || repeat('0', 64), '[]', '[]', '{}', 'sha256:' || repeat('0', 64), now(),
       now() - v.ago::interval, v.former, 'caller', '{}'
     FROM invocations i, (VALUES ('prv_a', '31 days', NULL), ('prv_b', '31 days', NULL), ('prv_c', '31 days', NULL),
       ('prv_young', '29 days', NULL), ('prv_former', '31 days', NULL), ('prv_next', '29 days', 'prv_former'),
       ('prv_used', '31 days', NULL)) v (id, ago, former)
     WHERE i.id = '${invocationId}';
     SET session_replication_role = 'replica';
     UPDATE invocations SET preview_id = 'prv_used' WHERE id = '${invocationId}'`,
  );
}
