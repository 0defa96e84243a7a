import type { EnvironmentTransaction } from '../client.ts';

/** Locks an invocation until the transaction ends. Every transaction that changes what belongs to it begins with this lock. */
export async function lockInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw('SELECT FROM invocations WHERE id = ? FOR UPDATE', [invocationId]);
}
