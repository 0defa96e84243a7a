import type { Tenant } from '../client.ts';
import { isUnopened } from './unopened.ts';
import type { SealedSecret, SecretContext, Vault } from './vault.ts';

export type Rewrapping = Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>;

/** A row whose sealed value does not open. It says nothing of the value. */
export interface UnopenedRow {
  table: string;
  id: string;
  /** The vault's sentence: the master key is not configured, or the row is damaged. */
  reason: string;
}

/** The row behind which a batch begins. Rows that do not open stay under their old master key: without it a batch would find them again. */
export interface Place {
  id: string;
  /** The version of a secret; 0 elsewhere. */
  version: number;
}

export const FIRST_PLACE: Place = { id: '', version: 0 };

export interface BatchInput {
  tenant: Tenant;
  after: Place;
  /** How many rows at most. */
  most: number;
  onUnopened: (row: UnopenedRow) => void;
}

export interface Batch {
  rewrapped: number;
  /** The last row that was looked at; null where none was left. */
  last: Place | null;
}

/** The row under the newest master key; null, and `onUnopened` is told, where it does not open. */
export function rewrapOrTell(
  vault: Rewrapping,
  context: SecretContext,
  sealed: SealedSecret,
  onUnopened: (reason: string) => void,
): SealedSecret | null {
  try {
    return vault.rewrap(context, sealed);
  } catch (error) {
    if (!isUnopened(error)) throw error;
    onUnopened((error as Error).message);
    return null;
  }
}
