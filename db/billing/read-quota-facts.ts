import type { QuotaFacts } from '../../domain/billing/quotas.ts';
import { usageResetsAt } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { readUsage } from '../plans/read-usage.ts';
import { readHeld } from './read-held.ts';
import { readSubscription } from './read-subscription.ts';

/** What the workspace has used and stores, and what the environment of the transaction holds. Storage and usage are in bytes and pieces. */
export async function readQuotaFacts(tx: EnvironmentTransaction): Promise<QuotaFacts> {
  const [{ plan, now }, used, kept, held] = await tx.inOrder(
    () => readSubscription(tx),
    () => readUsage(tx),
    () => readKept(tx),
    () => readHeld(tx),
  );
  return { plan, resetsAt: usageResetsAt(now), used, ...kept, held };
}

async function readKept(tx: EnvironmentTransaction): Promise<Pick<QuotaFacts, 'storageBytes' | 'environments'>> {
  const { rows } = await tx.raw<{ rows: { bytes: string; environments: number }[] }>(
    `SELECT (COALESCE((SELECT f.bytes FROM storage_used f WHERE f.workspace_id = current_workspace_id()), 0)
         + COALESCE((SELECT sum(s.bytes) FROM stored_state s WHERE s.workspace_id = current_workspace_id()), 0))::text AS bytes,
       (SELECT count(*)::int FROM environments e WHERE e.workspace_id = current_workspace_id()) AS environments`,
  );
  return { storageBytes: Number(rows[0]?.bytes ?? 0), environments: rows[0]?.environments ?? 0 };
}
