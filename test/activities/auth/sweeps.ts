import { expect } from 'vitest';
import { type DeclaredSweeps, deleting, idsOf } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'expired-sign-in-throttles': async (world) => {
      const { asOwner } = world.database;
      // The last three are kept: one failed today, one was used to sign in recently, and one did both.
      await asOwner(`INSERT INTO sign_in_throttles (key, last_failed_at, succeeded_at)
        SELECT decode(repeat(n, 32), 'hex'), now() - f::interval, now() - s::interval FROM (VALUES
          ('01', '2 days', NULL), ('02', '2 days', NULL), ('03', '40 days', '31 days'),
          ('04', '23 hours', NULL), ('05', '2 days', '29 days'), ('06', '1 second', '1 second')) v (n, f, s)`);
      const ids = ['01', '02', '03'].map((n) => n.repeat(32));
      const idSql = `encode(key, 'hex')`;
      return {
        ...(await deleting(world, 'sign_in_throttles', { ids, idSql, poison: `get_byte(OLD.key, 0) = 2` })),
        checkKept: async () => {
          const kept = 'SELECT get_byte(key, 0)::text AS id FROM sign_in_throttles ORDER BY key';
          expect(idsOf(await asOwner(kept))).toEqual(['2', '4', '5', '6']);
        },
      };
    },
  },
};
