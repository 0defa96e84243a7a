import { ApplicationFailure } from '@temporalio/common';
import type { Database } from '../db/client.ts';
import { isTenantThere } from '../db/environments/directory.ts';
import { RecordGone } from '../domain/record-gone.ts';

type Runnable = (...args: never[]) => unknown;

interface Directory {
  db: Pick<Database, 'withWorkspace'>;
}

/**
 * Ends the workflow of a record that is gone, or whose environment is gone with all that it had: a database was restored to a time before
 * them, and Temporal goes on. Every other failure is tried again, until the database is back.
 */
export function endingWhereGone<Activities extends Record<string, Runnable>>(
  deps: Directory,
  activities: Activities,
): Activities {
  const ending = Object.entries(activities).map(([name, run]) => [
    name,
    async (...args: never[]): Promise<unknown> => {
      try {
        return await run(...args);
      } catch (error) {
        if (error instanceof RecordGone) throw ApplicationFailure.nonRetryable(error.message, error.name);
        if (await isOfNobody(deps, args[0])) throw ApplicationFailure.nonRetryable('its tenant is gone', 'RecordGone');
        throw error;
      }
    },
  ]);
  return Object.fromEntries(ending) as Activities;
}

/** False also where the database does not say: then it is asked at the next try. */
async function isOfNobody({ db }: Directory, input: unknown): Promise<boolean> {
  const { workspaceId, environmentId } = (input ?? {}) as Partial<Record<string, unknown>>;
  if (typeof workspaceId !== 'string') return false;
  const tenant = { workspaceId, environmentId: typeof environmentId === 'string' ? environmentId : null };
  return isTenantThere(db, tenant).then(
    (isThere) => !isThere,
    () => false,
  );
}
