import type { EnvironmentTransaction, Tenant } from '../db/client.ts';
import type { RaisedEvent } from '../db/events/events.ts';
import type { ActivityDependencies } from './dependencies.ts';

export type RelayDependencies = Pick<
  ActivityDependencies,
  'db' | 'logger' | 'fanOutEvent' | 'vault' | 'pagesUrl' | 'sendEmail'
>;

/** Something that was committed and is to be started. Where that fails or is never tried, something that polls must find the same. */
export interface FollowUp {
  /** For the log. */
  ids: Record<string, string>;
  start(deps: RelayDependencies): Promise<void>;
}

/** Consumes events in the transaction that deletes them from the outbox. The returned work follows, and may be lost. */
export type Consumer = (
  tx: EnvironmentTransaction,
  tenant: Tenant,
  events: readonly RaisedEvent[],
  deps: Pick<RelayDependencies, 'vault' | 'pagesUrl' | 'logger'>,
) => Promise<FollowUp[]>;
