import type { Tenant } from '../../db/client.ts';
import { isUnopened } from '../../db/secrets/vault.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { type OpenedSecrets, openSecrets } from './open-secrets.ts';
import { withoutMessage } from './without-message.ts';

/** The result of a provider read whose credential cannot be opened. */
export const UNOPENED = 'a credential does not open';

/** Returns null, and logs, when a sealed value cannot be opened: retries would keep the read's place. */
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
