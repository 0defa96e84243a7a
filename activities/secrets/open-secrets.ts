import type { Tenant } from '../../db/client.ts';
import { readSealedSecrets, type SealedSecretRow } from '../../db/secrets/secrets.ts';
import type { InvocationDependencies } from '../dependencies.ts';

export interface OpenedSecrets {
  /** By name. Never log it, keep it, or return it from an activity. */
  values: ReadonlyMap<string, string>;
  versions: Readonly<Record<string, number>>;
  /** The names that have no live secret in this environment. */
  missing: string[];
}

/**
 * Opens the current version of each named secret. Only a dispatch or a read-back may call it. Throws if a sealed value cannot be opened
 * (changed rows, a missing master key), which an operator must repair; nothing was sent then.
 */
export async function openSecrets(
  deps: Pick<InvocationDependencies, 'db' | 'vault'>,
  tenant: Tenant,
  names: readonly string[],
): Promise<OpenedSecrets> {
  const rows = names.length === 0 ? [] : await deps.db.oneStatement(tenant, (tx) => readSealedSecrets(tx, names));
  return openSealed(deps, tenant, names, rows);
}

/** The same for secrets that the transaction of the claim has read. */
export function openSealed(
  deps: Pick<InvocationDependencies, 'vault'>,
  { workspaceId, environmentId }: Tenant,
  names: readonly string[],
  rows: readonly SealedSecretRow[],
): OpenedSecrets {
  const values = new Map(
    rows.map(({ name, version, sealed }) => [
      name,
      deps.vault.open({ workspaceId, environmentId, name, version }, sealed),
    ]),
  );
  const versions = Object.fromEntries(rows.map(({ name, version }) => [name, version]));
  return { values, versions, missing: names.filter((name) => !values.has(name)) };
}
