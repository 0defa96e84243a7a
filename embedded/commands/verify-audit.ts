import { verifyChains } from '../../db/audit/verify-chains.ts';
import { refusePrivilegedLogin } from '../../db/refuse-unsuitable-database.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from '../with-database.ts';

const USAGE = 'Usage: npm run audit:verify [-- --effects]';
const ARGUMENTS = { options: { effects: { type: 'boolean', default: false } } } as const;

/** `npm run audit:verify`: checks the audit chain of every workspace, and with `--effects` every receipt too. Exit code 1 if one is broken. */
await runCommand(USAGE, ARGUMENTS, async (configuration, { values }) => {
  return withDatabase(databaseOf(configuration).applicationUrl, 'verify-audit', async (db) => {
    await refusePrivilegedLogin(db);
    const { workspaces, auditEntries, effects, breaks } = await verifyChains(db, { receipts: values.effects });
    const checked = `${auditEntries} audit entries of ${workspaces} workspaces${values.effects ? `, ${effects} effects` : ''}`;
    if (breaks.length > 0) throw new Error([`Broken (of ${checked}):`, ...breaks].join('\n'));
    return `Whole: ${checked}.`;
  });
});
