import type { Tenant } from '../../db/client.ts';
import { isUnopened } from '../../db/secrets/unopened.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { type OpenedSecrets, openSecrets } from './open-secrets.ts';
import { withoutMessage } from './without-message.ts';

/** What a read at a provider says of itself where a credential does not open. */
export const UNOPENED = 'a credential does not open';

/**
 * The secrets of a read at a provider; null, and a line in the log, where a sealed value does not open. Thrown, it would be tried again
 * and again while it keeps the permit of a read: a few of them would stop all reads of the workspace.
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
