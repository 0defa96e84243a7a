import { recordAccountAudit } from '../../db/audit/record-audit.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { describeFailure } from '../../domain/failures.ts';

/**
 * Records a wrong password in the background: the reply's time must not reveal that the user exists. Throttled attempts are not recorded.
 */
export function recordFailedSignIn(
  deps: Pick<ApiDependencies, 'db' | 'logger'>,
  userId: string,
  attempt: { address: string; requestId: string },
): void {
  const { address, requestId } = attempt;
  const actor = { type: 'user', id: null } as const; // whoever it was
  const target = { type: 'user', id: userId };
  const entry = { actor, action: 'session.refused' as const, target, details: { address }, requestId };
  deps.db
    .withUser(userId, (tx) => recordAccountAudit(tx, userId, entry))
    .catch((error: unknown) => {
      deps.logger.error({ userId, requestId, failure: describeFailure(error) }, 'a failed sign-in was not recorded');
    });
}
