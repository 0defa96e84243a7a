import type { Tenant } from '../../db/client.ts';
import { isUnopened } from '../../db/secrets/vault.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { type OpenedSecrets, openSecrets } from './open-secrets.ts';
import { withoutMessage } from './without-message.ts';

/** The result of a provider read whose credential cannot be opened. */
export const UNOPENED = 'a credential does not open';

/**
 * The secrets of a provider read; null, and a line in the log, if a sealed value cannot be opened. A thrown error would be retried again
 * and again while the read keeps its permit: a few of them would stop all reads of the workspace.
 */
export async function openSecretsOrNone(
  deps: Pick<InvocationDependencies, 'db' | 'vault' | 'logger'>,
  tenant: Tenant,
  names: readonly string[],
  ids: Readonly<Record<string, unknown>>,
): Promise<OpenedSecrets | null> {
  try {
    return await openSecrets(deps, tenant, names);
  } catch (error) {
    if (!isUnopened(error)) throw error;
    deps.logger.error(
      { ...ids, failure: withoutMessage(error) },
      'a credential of a read does not open: put it anew, or give its master key back',
    );
    return null;
  }
}
