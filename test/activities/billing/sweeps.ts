import type { ActivityWorld } from '../invocations/world.ts';
import { type DeclaredSweeps, type Planted, starting } from '../maintenance/sweep-declarations.ts';
import type { TestDatabase, TestTenants } from '../../harness/database.ts';
import { PRICE_LIST } from '../../../domain/billing/price-list.ts';

/** Three workspaces, in the order of their ids. */
async function threeWorkspaces({ database }: ActivityWorld): Promise<TestTenants[]> {
  const made = [
    await database.anotherWorkspace(),
    await database.anotherWorkspace(),
    await database.anotherWorkspace(),
  ];
  return made.sort((a, b) => (a.production.workspaceId < b.production.workspaceId ? -1 : 1));
}

/** The crossings of the second one cannot be noted. */
async function noting(
  { asOwner }: TestDatabase,
  workspaces: string[],
  meter: string,
  idOf = (workspace: string): string => workspace,
): Promise<Planted> {
  await asOwner(`
    CREATE FUNCTION refuse_${meter}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.workspace_id = '${workspaces[1]}' AND NEW.meter = '${meter}' THEN RAISE EXCEPTION 'this one stays'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER poison_${meter} BEFORE INSERT ON usage_crossings FOR EACH ROW EXECUTE FUNCTION refuse_${meter}()`);
  return {
    ids: workspaces.map(idOf),
    mended: async () => {
      const noted = await asOwner<{ workspace_id: string }>(
        'SELECT workspace_id FROM usage_crossings WHERE meter = $1',
        [meter],
      );
      const there = new Set(noted.map(({ workspace_id }) => workspace_id));
      return workspaces.filter((workspace) => there.has(workspace)).map(idOf);
    },
  };
}

export const sweeps: DeclaredSweeps = {
  rows: {
    'unclosed-months': async (world) => {
      const ids = (await threeWorkspaces(world)).map(({ production }) => production.workspaceId);
      await world.database.asOwner(
        `UPDATE workspaces SET created_at = now() - interval '40 days' WHERE id = ANY ($1::uuid[])`,
        [ids],
      );
      return starting(ids, 'closeBillingMonth');
    },
    'usage-thresholds': async (world) => {
      const ids = (await threeWorkspaces(world)).map(({ production }) => production.workspaceId);
      const { asOwner } = world.database;
      await asOwner(`UPDATE workspaces SET plan = 'free' WHERE id = ANY ($1::uuid[])`, [ids]);
      await asOwner(
        `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used)
         SELECT id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'executions', 0, 800 FROM unnest($1::uuid[]) id`,
        [ids],
      );
      return noting(world.database, ids, 'executions', (workspace) => `${workspace}/executions/80`);
    },
    'alert-targets': async (world) => {
      const ids = (await threeWorkspaces(world)).map(({ production }) => production.workspaceId);
      const { asOwner } = world.database;
      await asOwner(
        `INSERT INTO alert_targets (workspace_id, amount, currency, thresholds) SELECT id, 1, 'usd', '{100}' FROM unnest($1::uuid[]) id`,
        [ids],
      );
      const overrides = {
        prices: {
          ...PRICE_LIST,
          pricesOf: () => ({ ...PRICE_LIST.pricesOf('enterprise'), price: { amount: 100, currency: 'usd' } }),
        },
      };
      return { ...(await noting(world.database, ids, 'spend')), overrides };
    },
  },
  steps: { 'usage-invariants': { recount: 'check_usage' } },
};
