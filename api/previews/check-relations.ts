import type { ActionRecord } from '../../db/actions/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { getInvocation } from '../../db/invocations/queries.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import type { Relations } from '../../domain/relations.ts';
import { checkOtherEffects } from './check-other-effects.ts';

export async function checkRelations(
  tx: EnvironmentTransaction,
  action: ActionRecord,
  relations: Relations,
): Promise<void> {
  if (relations.retryOf !== null) await checkRetry(tx, action, relations.retryOf);
  await checkOtherEffects(tx, action, relations);
}

/** A second run under a new key is safe only when the first one's outcome is known. */
async function checkRetry(tx: EnvironmentTransaction, action: ActionRecord, retryOf: string): Promise<void> {
  const earlier = await getInvocation(tx, retryOf);
  if (!earlier || earlier.actionId !== action.id) {
    throw validationError([{ path: 'body.retryOf', message: `no invocation of ${action.name} has this id` }]);
  }
  if (earlier.settledAt === null) {
    throw new ServiceError('CONFLICT', {
      message: `Invocation ${retryOf} is ${earlier.status}: what it did is not known yet. Reconcile or resolve it before you run it again.`,
    });
  }
}
