import { Database } from '../../db/client.ts';
import { refusePrivilegedLogin } from '../../db/refuse-privileged-login.ts';
import { rewrapAllSecrets } from '../../db/secrets/rewrap.ts';
import { Vault } from '../../db/secrets/vault.ts';
import { runCommand } from './run-command.ts';
import { PRODUCT } from '../../domain/product.ts';

/** `npm run secrets:rewrap`: wraps every secret under the newest master key; afterwards the older keys can be removed. */
await runCommand(async (configuration) => {
  const { DATABASE_URL: url, MASTER_KEYS: masterKeys } = configuration;
  if (url === null) throw new Error('DATABASE_URL is not set.');
  if (masterKeys === null) throw new Error('MASTER_KEYS is not set.');
  const vault = Vault.fromMasterKeys(masterKeys);
  const db = new Database({ url, applicationName: `${PRODUCT.id}-rewrap` });
  try {
    await refusePrivilegedLogin(db);
    const { environments, rewrapped } = await rewrapAllSecrets(db, vault);
    return `Rewrapped ${rewrapped} secret versions of ${environments} environments under master key ${vault.newestMasterKeyVersion}.`;
  } finally {
    await db.close();
  }
});
