import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SECRET_COLUMNS, type SecretRecord } from './records.ts';

/** One page of the live secrets, newest first, with the total count. */
export async function listSecrets(tx: EnvironmentTransaction, range: Range): Promise<Page<SecretRecord>> {
  return pageOf(tx, {
    columns: selected(SECRET_COLUMNS),
    from: 'secrets',
    where: 'environment_id = current_environment_id() AND deleted_at IS NULL',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}
