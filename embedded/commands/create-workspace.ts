import { createApiKey } from '../../db/api-keys/api-keys.ts';
import type { Database } from '../../db/client.ts';
import { createWorkspace } from '../../db/environments/workspaces.ts';
import { addMember } from '../../db/members/members.ts';
import { findUserByEmail } from '../../db/users/users.ts';
import { createOwner } from '../owner.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from '../with-database.ts';

const USAGE = 'Usage: npm run workspace:create -- --name "Acme" [--owner-email ada@example.com]';
const ARGUMENTS = { options: { name: { type: 'string' }, 'owner-email': { type: 'string' } } } as const;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/**
 * `npm run workspace:create`: a workspace with its Production environment, an operator's key (full access) and an agent's, for an installation
 * that was not made by `npm start`; with `--owner-email`, a user who owns it. Credentials are printed once.
 */
await runCommand(USAGE, ARGUMENTS, async (configuration, { values }) => {
  const { name, 'owner-email': email } = values;
  if (name === undefined || name.trim() === '') throw new Error(USAGE);
  if (email !== undefined && !EMAIL.test(email)) throw new Error(`--owner-email is no e-mail address. ${USAGE}`);
  return withDatabase(databaseOf(configuration).applicationUrl, 'workspace-create', async (db) => {
    const { workspaceId, environments } = await createWorkspace(db, name, configuration.DEFAULT_PLAN);
    const lines = [`workspace ${workspaceId}`];
    for (const { id: environmentId, kind } of environments) {
      await db.withEnvironment({ workspaceId, environmentId }, async (tx) => {
        for (const preset of ['full_access', 'agent'] as const) {
          const { key } = await createApiKey(tx, { name: preset, preset });
          lines.push(`${kind.padEnd(12)} ${environmentId}  ${preset.padEnd(12)} ${key}`);
        }
      });
    }
    if (email !== undefined)
      lines.push(`${'owner'.padEnd(12)} ${email}  ${await passwordOfOwner(db, workspaceId, email)}`);
    return `${lines.join('\n')}\nKeys and password are shown this once.`;
  });
});

/** A user who has an account keeps its password: a second workspace must not sign them out of the first. */
async function passwordOfOwner(db: Database, workspaceId: string, email: string): Promise<string> {
  const known = await findUserByEmail(db, email);
  if (known === null) return (await createOwner(db, workspaceId, email)).password;
  await db.withWorkspace(workspaceId, (tx) => addMember(tx, known.id, 'owner'));
  return '(signs in with the password that the account has)';
}
