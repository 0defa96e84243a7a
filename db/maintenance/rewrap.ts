import type { Database, Tenant } from '../client.ts';
import { listEveryEnvironment } from '../environments/directory.ts';
import { rewrapSubscriptions, rewrapSubscriptionSecrets } from '../events/subscription-secrets.ts';
import { rewrapIntegrations } from '../integrations/integrations.ts';
import { rewrapOAuthKeys } from '../oauth/signing-keys.ts';
import { rewrapMessages } from '../messages/changes.ts';
import { rewrapSchedules } from '../schedules/changes.ts';
import { rewrapSigningKeys } from '../signing-keys/signing-keys.ts';
import {
  type Batch,
  type BatchInput,
  FIRST_PLACE,
  type Place,
  type Rewrapping,
  type UnopenedRow,
} from '../secrets/rewrap-rows.ts';
import { rewrapSecrets } from '../secrets/rewrap.ts';

/** The number of secret versions in one transaction: small, so that a rotation never waits long for the rewrap. */
export const REWRAP_BATCH_SIZE = 100;

const SEALED = [
  rewrapSecrets,
  rewrapMessages,
  rewrapSchedules,
  rewrapIntegrations,
  rewrapSubscriptions,
  rewrapSubscriptionSecrets,
];

/** Null for a row of the whole workspace or the installation. */
export type UnopenedValue = UnopenedRow & { workspaceId: string | null; environmentId: string | null };

export interface Rewrapped {
  environments: number;
  rewrapped: number;
  /** How many did not open, and are as they were. */
  unopened: number;
}

/**
 * Rewraps everything that is sealed in every environment (secret versions, messages, schedules, integrations, subscriptions and their
 * secrets) and the signing keys of every workspace and of OAuth under the newest master key, batch by batch. It may run while the service
 * works, be stopped, and run again. What does not open stays as it is: `onUnopened` is told of each, as it is found.
 */
export async function rewrapAllSecrets(
  db: Database,
  vault: Rewrapping,
  onUnopened: (value: UnopenedValue) => void = () => undefined,
): Promise<Rewrapped> {
  const tenants = await listEveryEnvironment(db);
  let unopened = 0;
  const tellOf = (place: Pick<UnopenedValue, 'workspaceId' | 'environmentId'>) => (row: UnopenedRow) => {
    unopened++;
    onUnopened({ ...row, ...place });
  };
  let rewrapped = await rewrapOAuthKeys(db, vault, tellOf({ workspaceId: null, environmentId: null }));
  const workspaces = new Set<string>();
  for (const tenant of tenants) {
    const { workspaceId } = tenant;
    if (!workspaces.has(workspaceId)) {
      const input = { tenant, onUnopened: tellOf({ workspaceId, environmentId: null }) };
      rewrapped += await db.withEnvironment(tenant, (tx) => rewrapSigningKeys(tx, vault, input));
      workspaces.add(workspaceId);
    }
    rewrapped += await rewrapEnvironment(db, vault, tenant, tellOf(tenant));
  }
  return { environments: tenants.length, rewrapped, unopened };
}

async function rewrapEnvironment(
  db: Database,
  vault: Rewrapping,
  tenant: Tenant,
  onUnopened: (row: UnopenedRow) => void,
): Promise<number> {
  let rewrapped = 0;
  for (const rewrapSome of SEALED) {
    let after: Place | null = FIRST_PLACE;
    while (after !== null) {
      const input: BatchInput = { tenant, after, most: REWRAP_BATCH_SIZE, onUnopened };
      const batch: Batch = await db.withEnvironment(tenant, (tx) => rewrapSome(tx, vault, input));
      rewrapped += batch.rewrapped;
      after = batch.last;
    }
  }
  return rewrapped;
}
