import type { ActionDefinition } from '../../domain/actions.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Definitions by the id of their version. */
export async function readDefinitions(
  tx: EnvironmentTransaction,
  versionIds: readonly string[],
): Promise<Map<string, ActionDefinition>> {
  const { rows } = await tx.raw<{ rows: { id: string; definition: ActionDefinition }[] }>(
    'SELECT id, definition FROM action_versions WHERE id = ANY(?)',
    [versionIds],
  );
  return new Map(rows.map(({ id, definition }) => [id, definition]));
}
