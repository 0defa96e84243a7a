import { recordAudit, type AuditChange } from '../../db/audit/record-audit.ts';
import { listWorkspacesOfUser } from '../../db/users/list-workspaces-of-user.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { describeFailure } from '../http/failures.ts';

type AccountChange = Omit<AuditChange, 'workspaceId' | 'environmentId'>;

/** Records what concerns a user's account in every workspace of theirs: an account belongs to none, and each relies on it. */
export async function recordAccountChange(
  { db }: Pick<ApiDependencies, 'db'>,
  userId: string,
  change: AccountChange,
): Promise<void> {
  for (const { id: workspaceId } of await listWorkspacesOfUser(db, userId)) {
    await db.withWorkspace(workspaceId, (tx) => recordAudit(tx, { workspaceId, ...change }));
  }
}

/**
 * Records a wrong password for a user who exists, without keeping the caller waiting: the time of the answer must not tell
 * that the user exists. Attempts that the throttle turned away are not looked at, and not recorded.
 */
export function recordFailedSignIn(
  deps: Pick<ApiDependencies, 'db' | 'logger'>,
  userId: string,
  attempt: { address: string; requestId: string },
): void {
  const { address, requestId } = attempt;
  const actor = { type: 'user', id: null } as const; // whoever it was
  const target = { type: 'user', id: userId };
  recordAccountChange(deps, userId, {
    actor,
    action: 'session.refused',
    target,
    details: { address },
    requestId,
  }).catch((error: unknown) => {
    deps.logger.error({ userId, requestId, failure: describeFailure(error) }, 'a failed sign-in was not recorded');
  });
}
