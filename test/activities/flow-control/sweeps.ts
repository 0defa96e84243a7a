import type { ActivityWorld } from '../invocations/world.ts';
import { type DeclaredSweeps, idsOf, starting, threeIds } from '../maintenance/sweep-declarations.ts';

/** Three keys, each with a message that has been due for an hour; their ids. */
async function plantFlowControl({ database }: ActivityWorld, grantedAt: string | null): Promise<string[]> {
  const ids = threeIds('flowControlKey');
  const { environmentId } = database.tenant;
  await database.asOwner(
    `INSERT INTO flow_control_keys (id, environment_id, key) SELECT id, $1, id FROM unnest($2::text[]) id`,
    [environmentId, ids],
  );
  await database.asOwner(
    `INSERT INTO flow_control_queue (message_id, environment_id, key_id, due_at, granted_at, lease_until)
     SELECT 'msg_' || id, $1, id, now() - interval '1 hour', ${grantedAt}, CAST(${grantedAt} AS timestamptz) + interval '2 minutes' FROM unnest($2::text[]) id`,
    [environmentId, ids],
  );
  return ids;
}

export const sweeps: DeclaredSweeps = {
  rows: {
    'waiting-flow-control-keys': async (world) => {
      const { asOwner } = world.database;
      const ids = await plantFlowControl(world, null);
      await asOwner(`
        CREATE FUNCTION refuse_grant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF NEW.key_id = '${ids[1]}' THEN RAISE EXCEPTION 'this one waits'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER poison BEFORE UPDATE ON flow_control_queue FOR EACH ROW EXECUTE FUNCTION refuse_grant()`);
      const granted = `SELECT key_id AS id FROM flow_control_queue WHERE granted_at IS NOT NULL AND key_id = ANY ($1) ORDER BY key_id`;
      return {
        ids,
        mended: async () => idsOf(await asOwner(granted, [ids])),
        overrides: { wakeMessage: () => Promise.resolve() },
      };
    },
    'lost-flow-control-leases': async (world) => {
      const keys = await plantFlowControl(world, `now() - interval '1 minute'`);
      return starting(
        keys.map((key) => `msg_${key}`),
        'wakeMessage',
      );
    },
  },
};
