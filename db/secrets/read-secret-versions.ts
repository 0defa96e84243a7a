import type { EnvironmentTransaction } from '../client.ts';

/** The current version of each named secret by its name; 0 where no live secret has the name. Nothing is opened. */
export async function readSecretVersions(
  tx: EnvironmentTransaction,
  names: readonly string[],
): Promise<Record<string, number>> {
  if (names.length === 0) return {};
  const { rows } = await tx.raw<{ rows: { name: string; version: number }[] }>(
    'SELECT name, current_version AS version FROM secrets WHERE name = ANY(?) AND deleted_at IS NULL',
    [[...names]],
  );
  const versions = new Map(rows.map(({ name, version }) => [name, version]));
  return Object.fromEntries(names.map((name) => [name, versions.get(name) ?? 0]));
}
