import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';

/** Renames a group that the same transaction has locked. Throws CONFLICT where another group has the name. */
export async function renameUrlGroup(tx: EnvironmentTransaction, id: string, name: string): Promise<void> {
  await tx
    .raw('UPDATE url_groups SET name = :name, updated_at = now() WHERE id = :id', { id, name })
    .catch(nameTaken('url_groups_live_name', name));
}

/** Deletes a group that the same transaction has locked. Its row stays for the messages that name it; its name is free. */
export async function deleteUrlGroup(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('UPDATE url_groups SET deleted_at = now(), updated_at = now() WHERE id = ?', [id]);
}
