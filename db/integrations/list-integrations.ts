import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { INTEGRATION_COLUMNS, type IntegrationRecord } from './records.ts';

/** Newest first, ties by id. */
export async function listIntegrations(tx: EnvironmentTransaction, range: Range): Promise<Page<IntegrationRecord>> {
  return pageOf(tx, {
    columns: INTEGRATION_COLUMNS,
    from: 'integrations i',
    where: 'i.environment_id = current_environment_id()',
    order: 'i.created_at DESC, i.id DESC',
    asked: range,
  });
}
