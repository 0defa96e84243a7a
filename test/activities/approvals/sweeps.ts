import { expect } from 'vitest';
import type { ActivityWorld } from '../invocations/world.ts';
import { type DeclaredSweeps, deletingById, idsOf, starting, threeIds } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'workflow-starts/approval': async (world) => {
      const { asOwner, tenant } = world.database;
      const ids = threeIds('approval');
      await asOwner(
        `INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers,
           prevent_self, requested_by, created_at, expires_at)
         SELECT id, $1, 'free_standing', 'Deploy', 'Deploys.', '{}', 'sha256:' || repeat('0', 64), 'caller', 'asked for', 1, '[{}]',
           true, '{"type": "api_key", "id": "key_agent"}', now() - interval '1 hour', now() + interval '1 hour' FROM unnest($2::text[]) id`,
        [tenant.environmentId, ids],
      );
      return {
        ...starting(ids, 'wakeApproval'),
        end: () =>
          asOwner(
            `UPDATE approvals SET status = 'cancelled', awaited_status = 'cancelled', decided_at = now() WHERE id = ANY ($1)`,
            [ids],
          ),
      };
    },
    'old-approvals': async (world) => {
      await plantOldApprovals(world);
      return {
        ...(await deletingById(world, 'approvals', ['apr_a', 'apr_b', 'apr_c'])),
        // Decisions are kept as long as their approval.
        checkKept: async () => {
          const { asOwner } = world.database;
          const kept = ['apr_b', 'apr_late', 'apr_long', 'apr_unheard'];
          expect(idsOf(await asOwner(`SELECT id FROM approvals WHERE status = 'denied' ORDER BY id`))).toEqual(kept);
          expect(idsOf(await asOwner('SELECT approval_id AS id FROM approval_decisions ORDER BY 1'))).toEqual(kept);
        },
      };
    },
  },
};

/** Three that may go, and three that stay: one ended recently, one expired recently, and one whose workflow was not notified of the end. */
async function plantOldApprovals({ database }: ActivityWorld): Promise<void> {
  await database.asOwner(
    `SET session_replication_role = 'replica';
     INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers, prevent_self,
       requested_by, status, awaited_status, created_at, decided_at, expires_at)
     SELECT v.id, '${database.tenant.environmentId}', 'free_standing', 'Deploy', 'Deploys.', '{}', 'sha256:' || repeat('0', 64), 'caller', 'asked for', 1, '[{}]', true,
       '{}', 'denied', v.awaited, now() - interval '200 days', now() - v.decided::interval, now() - v.expired::interval
     FROM (VALUES ('apr_a', 'denied', '91 days', '91 days'), ('apr_b', 'denied', '91 days', '91 days'), ('apr_c', 'denied', '91 days', '91 days'),
       ('apr_late', 'denied', '89 days', '91 days'), ('apr_long', 'denied', '91 days', '89 days'), ('apr_unheard', NULL, '91 days', '91 days'))
       v (id, awaited, decided, expired);
     INSERT INTO approval_decisions (approval_id, actor_type, actor_id, environment_id, decision, note, binding_digest, authentication)
     SELECT a.id, 'api_key', 'key_person', a.environment_id, 'deny', 'no', a.binding_digest, '{}' FROM approvals a WHERE a.title = 'Deploy' AND a.status = 'denied'`,
  );
}
