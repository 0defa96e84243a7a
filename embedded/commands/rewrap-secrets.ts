import { Database } from '../../db/client.ts';
import { refuseUnsuitableDatabase } from '../../db/refuse-unsuitable-database.ts';
import { rewrapAllSecrets, type UnopenedValue } from '../../db/maintenance/rewrap.ts';
import { Vault } from '../../db/secrets/vault.ts';
import { masterKeysIn } from '../data-folder.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';
import { PRODUCT } from '../../domain/product.ts';

/**
 * `npm run secrets:rewrap`: wraps every secret under the newest master key; afterwards the older keys can be removed. Each value that does not
 * open is a line on stderr, and the exit code is then 1.
 */
await runCommand('Usage: npm run secrets:rewrap', {}, async (configuration) => {
  const { applicationUrl: url, dataDir } = databaseOf(configuration);
  const masterKeys = configuration.MASTER_KEYS ?? (dataDir === null ? null : masterKeysIn(dataDir));
  if (masterKeys === null) throw new Error('MASTER_KEYS is not set.');
  const vault = Vault.fromMasterKeys(masterKeys);
  const { waitingMasterKeyVersion: waiting } = vault;
  // It would wrap under the key before it and report success, and then that key would be removed.
  if (waiting !== null) {
    throw new Error(
      `MASTER_KEYS marks version ${waiting} with ~, so that it does not seal yet, and nothing was rewrapped. Take the mark away from every API and worker, restart them, and run this without it.`,
    );
  }
  const db = new Database({ url, applicationName: `${PRODUCT.id}-rewrap` });
  try {
    await refuseUnsuitableDatabase(db, vault);
    const { environments, rewrapped, unopened } = await rewrapAllSecrets(db, vault, (value) =>
      console.error(line(value)),
    );
    const done = `Rewrapped ${rewrapped} secret versions of ${environments} environments under master key ${vault.newestMasterKeyVersion}.`;
    if (unopened === 0) return done;
    throw new Error(
      `${done}\nSealed values that do not open, and are as they were: ${unopened}. docs/operations.md says under "Master keys" what to do about each.`,
    );
  } finally {
    await db.close();
  }
});

function line({ table, id, workspaceId, environmentId, reason }: UnopenedValue): string {
  const workspace = workspaceId === null ? 'the installation' : `workspace ${workspaceId}`;
  const place = environmentId === null ? workspace : `environment ${environmentId}`;
  return `${table}, ${place}, ${id}: ${reason}`;
}
