import { recordAudit } from '../../db/audit/record-audit.ts';
import { setPlan } from '../../db/plans/plans.ts';
import { isPlanName, PLANS } from '../../domain/plans.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from '../with-database.ts';

const USAGE = `Usage: npm run workspace:plan -- --workspace <id> --plan <${PLANS.join('|')}>`;
const ARGUMENTS = { options: { workspace: { type: 'string' }, plan: { type: 'string' } } } as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `npm run workspace:plan`: puts a workspace on a plan. Every API process is notified at once. */
await runCommand(USAGE, ARGUMENTS, async (configuration, { values }) => {
  const { workspace = '', plan = '' } = values;
  if (!UUID.test(workspace) || !isPlanName(plan)) throw new Error(USAGE);
  const workspaceId = workspace.toLowerCase();
  return withDatabase(databaseOf(configuration).applicationUrl, 'workspace-plan', async (db) => {
    const changed = await db.withWorkspace(workspaceId, async (tx) => {
      const result = await setPlan(tx, plan);
      if (result === null || result.before === plan) return result;
      await recordAudit(tx, {
        workspaceId,
        actor: { type: 'system', id: null },
        action: 'workspace.plan_changed',
        target: { type: 'workspace', id: workspaceId },
        details: { before: result.before, after: plan },
      });
      return result;
    });
    if (changed === null) throw new Error(`There is no workspace ${workspaceId} in this database.`);
    return `workspace ${workspaceId}: ${changed.before} -> ${plan}`;
  });
});
