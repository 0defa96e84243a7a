import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SIGNING_KEY_COLUMNS, type SigningKeyRecord } from './records.ts';

/** The signing keys of the transaction's workspace that are in use, newest first, with their total count. */
export async function listSigningKeys(tx: EnvironmentTransaction, range: Range): Promise<Page<SigningKeyRecord>> {
  return pageOf(tx, {
    columns: selected(SIGNING_KEY_COLUMNS),
    from: 'signing_keys',
    where: '(retires_at IS NULL OR retires_at > now())',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}
