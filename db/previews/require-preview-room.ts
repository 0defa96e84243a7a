import { ServiceError } from '../../domain/errors.ts';
import { LIVE_PREVIEWS_MAX } from '../../domain/previews/limits.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Throws QUOTA_EXCEEDED where the environment has its maximum of unused previews. Other counters wait until this transaction
 * ends, so call it right before the preview is inserted. A withdrawn admission frees its preview whatever the count is.
 */
export async function requirePreviewRoom(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('previews/' || current_environment_id(), 0))");
  const { rows } = await tx.raw<{ rows: { live: number }[] }>(
    `SELECT count(*)::int AS live FROM (SELECT FROM unused_previews
       WHERE environment_id = current_environment_id() AND expires_at > now() LIMIT ${LIVE_PREVIEWS_MAX}) counted`,
  );
  if ((rows[0]?.live ?? 0) < LIVE_PREVIEWS_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment has at most ${LIVE_PREVIEWS_MAX} previews that have not expired and that no invocation uses. Use them, or wait until they expire; a shorter expiresIn keeps fewer.`,
  });
}
