import { validationError } from '../domain/errors.ts';
import type { EnvironmentTransaction } from './client.ts';

/** Of what callers and providers sent, on one page of a list: a single body may be as long as a megabyte. */
export const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Keeps a list from reading more into memory than one answer may hold. `sizes` selects `bytes` of each row of the page, in
 * SQL, so that nothing is read for it. A page of one item is always given.
 *
 * @throws {ServiceError} VALIDATION_ERROR at `query.limit`.
 */
export async function requireLightPage(
  tx: EnvironmentTransaction,
  limit: number,
  sizes: string,
  bindings: Record<string, string | number | null>,
): Promise<void> {
  if (limit === 1) return;
  const { rows } = await tx.raw<{ rows: { isLight: boolean }[] }>(
    `SELECT COALESCE(sum(bytes), 0) <= :pageBytesMax AS "isLight" FROM (${sizes}) AS page`,
    { ...bindings, pageBytesMax: PAGE_BYTES_MAX },
  );
  if (rows[0]?.isLight !== false) return;
  const message = `this page would hold more than ${PAGE_BYTES_MAX / 1_048_576} MiB: ask for fewer items at once`;
  throw validationError([{ path: 'query.limit', message }]);
}
