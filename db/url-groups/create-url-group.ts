import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { GROUPS_PER_ENVIRONMENT_MAX } from '../../domain/url-groups/url-groups.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';

/** Creates a group without endpoints and returns its id. Throws CONFLICT where a group has the name, QUOTA_EXCEEDED at the limit. */
export async function createUrlGroup(tx: EnvironmentTransaction, name: string): Promise<string> {
  // Serialized: two requests that counted at the same time would both miss the other's group.
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('url-groups/' || current_environment_id(), 0))");
  const { rows } = await tx.raw<{ rows: { live: number }[] }>(
    'SELECT count(*)::int AS live FROM url_groups WHERE environment_id = current_environment_id() AND deleted_at IS NULL',
  );
  if ((rows[0]?.live ?? 0) >= GROUPS_PER_ENVIRONMENT_MAX) {
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `An environment has at most ${GROUPS_PER_ENVIRONMENT_MAX} URL groups. Delete one that is no longer needed.`,
    });
  }
  const id = newId('urlGroup');
  await tx
    .raw('INSERT INTO url_groups (id, environment_id, name) VALUES (:id, current_environment_id(), :name)', {
      id,
      name,
    })
    .catch(nameTaken('url_groups_live_name', name));
  return id;
}
