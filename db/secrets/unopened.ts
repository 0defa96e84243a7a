import { ServiceError } from '../../domain/errors.ts';
import { SealBrokenError } from '../../domain/sealing.ts';
import { MasterKeysError } from './vault.ts';

/** Whether a sealed value cannot be opened: its master key is no longer configured, or its row is damaged. */
export function isUnopened(thrown: unknown): boolean {
  return thrown instanceof SealBrokenError || thrown instanceof MasterKeysError;
}

/**
 * Opens what a caller once gave and can give again.
 *
 * @param message what the caller reads where it does not open: what does not, and what to give anew.
 * @throws {ServiceError} CONFLICT where it does not open.
 */
export function openedOrConflict<T>(open: () => T, message: string): T {
  try {
    return open();
  } catch (error) {
    if (isUnopened(error)) throw new ServiceError('CONFLICT', { message, cause: error });
    throw error;
  }
}
