import { type DeclaredSweeps, deleting } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'expired-idempotency-claims': async (world) => {
      const { asOwner, tenant } = world.database;
      await asOwner(
        `INSERT INTO idempotency_claims (environment_id, key, request_digest, holder, lease_expires_at, expires_at)
         SELECT $1, key, 'sha256:0', gen_random_uuid(), now(), now() - interval '1 second' FROM unnest('{a,b/2,c}'::text[]) key`,
        [tenant.environmentId],
      );
      return deleting(world, 'idempotency_claims', {
        ids: ['a', 'b/2', 'c'].map((key) => `${tenant.environmentId}/${key}`),
        idSql: `environment_id || '/' || key`,
        poison: `OLD.key = 'b/2'`,
      });
    },
  },
};
