import { admitToBudget } from '../../db/budgets/admission.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { consumeAllowance } from '../../db/plans/allowances.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Caller } from '../http/define-route.ts';

export const MEMORY_OPERATION_ERRORS = [
  'SERVICE_UNAVAILABLE',
  'QUOTA_EXCEEDED',
  ...BUDGET_ERRORS,
] as const satisfies readonly ErrorCode[];

/** The last step of an admission: counts against the key's budget and the month's allowance. */
export async function admitMemoryOperation(tx: EnvironmentTransaction, caller: Caller): Promise<void> {
  if (caller.type === 'api_key')
    await admitToBudget(tx, { apiKeyId: caller.keyId, kind: 'memoryOperations', count: 1 });
  await consumeAllowance(tx, 'memory_processing', 1);
}
