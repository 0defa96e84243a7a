import { recordAccountAudit } from '../../db/audit/record-audit.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { describeFailure } from '../../domain/failures.ts';
import type { JsonObject } from '../../domain/json.ts';

type Deps = Pick<ApiDependencies, 'db' | 'logger'>;

interface Refused {
  address: string;
  requestId: string;
}

/** Throttled attempts are not recorded. */
export function recordFailedSignIn(deps: Deps, userId: string, { address, requestId }: Refused): void {
  recordRefusal(deps, userId, { action: 'session.refused', details: { address }, requestId });
}

export function recordRefusedPasskey(
  deps: Deps,
  userId: string,
  { address, requestId, reason }: Refused & { reason: string },
): void {
  recordRefusal(deps, userId, { action: 'passkey.refused', details: { reason, address }, requestId });
}

/** Records a wrong password or passkey in the background: the reply's time must not reveal that the user exists. */
function recordRefusal(
  deps: Deps,
  userId: string,
  refused: { action: 'session.refused' | 'passkey.refused'; details: JsonObject; requestId: string },
): void {
  const { requestId } = refused;
  const actor = { type: 'user', id: null } as const; // whoever it was
  const target = { type: 'user', id: userId };
  deps.db
    .withUser(userId, (tx) => recordAccountAudit(tx, userId, { actor, target, ...refused }))
    .catch((error: unknown) => {
      deps.logger.error({ userId, requestId, failure: describeFailure(error) }, 'a failed sign-in was not recorded');
    });
}
