import type { EffectRef } from '../../../domain/refs.ts';
import { type ActivityWorld, adapterThat } from '../invocations/world.ts';
import { type DeclaredSweeps, idsOf, starting } from '../maintenance/sweep-declarations.ts';

/** Three effects whose dispatch was not answered. */
async function plantUnanswered(world: ActivityWorld): Promise<EffectRef[]> {
  const { adapterFor } = adapterThat(() => Promise.resolve({ kind: 'no_answer', reason: 'it was lost' }));
  const refs: EffectRef[] = [];
  for (let i = 0; i < 3; i++) {
    const ref = await world.ready();
    await world.activities({ adapterFor }).dispatchEffect({ ...ref, settles: true });
    refs.push(ref);
  }
  return refs;
}

export const sweeps: DeclaredSweeps = {
  rows: {
    'workflow-starts/read': async (world) => {
      const ids = (await plantUnanswered(world)).map(({ effectId }) => effectId).sort();
      const overdue = `UPDATE effects SET reconcile_next_at = now() - interval '1 hour' WHERE id = ANY ($1)`;
      await world.database.asOwner(overdue, [ids]);
      return {
        ...starting(ids, 'startReads'),
        end: () => world.database.asOwner('UPDATE effects SET reconcile_exhausted = true WHERE id = ANY ($1)', [ids]),
      };
    },
    'unsettled-answers': async (world) => {
      const { asOwner } = world.database;
      const ids = (await plantUnanswered(world)).map(({ invocationId }) => invocationId).sort();
      // A state that our code leaves only where settling failed on every try.
      await asOwner(`SET session_replication_role = 'replica';
        UPDATE attempts SET observed_outcome = 'succeeded' WHERE invocation_id IN ('${ids.join("', '")}')`);
      await asOwner(`
        CREATE FUNCTION refuse_settlement() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'this one stays'; END $$;
        CREATE TRIGGER poison BEFORE UPDATE ON invocations FOR EACH ROW WHEN (NEW.id = '${ids[1]}') EXECUTE FUNCTION refuse_settlement()`);
      const settled = `SELECT id FROM invocations WHERE status = 'succeeded' AND id = ANY ($1) ORDER BY id`;
      return { ids, mended: async () => idsOf(await asOwner(settled, [ids])) };
    },
  },
};
