import { setTimeout as delay } from 'node:timers/promises';
import { getInvocation } from '../../db/invocations/queries.ts';
import type { InvocationRecord } from '../../db/invocations/records.ts';
import type { Tenant } from '../../db/client.ts';
import { isAtRest } from '../../domain/lifecycle.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { abortWith, RequestAbortedError } from '../http/client-gone.ts';
import { isPassing } from '../http/failures.ts';

const READ_RETRY_INTERVAL_MS = 200;

function rests({ status, effectStage, dependenciesAwaitedAt }: InvocationRecord): boolean {
  return isAtRest({ status, stage: effectStage, awaitsDependencies: dependenciesAwaitedAt !== null });
}

export async function readInvocation(
  deps: ApiDependencies,
  tenant: Tenant,
  invocationId: string,
): Promise<InvocationRecord | null> {
  return deps.db.oneStatement(tenant, (tx) => getInvocation(tx, invocationId));
}

/**
 * Runs `begin`, waits until the invocation is at rest or `timeoutMs` is over, and returns its current state. Registers for the notification
 * before `begin`, so that none is missed.
 *
 * @throws {RequestAbortedError} once `signal` is aborted; the invocation continues.
 */
export async function awaitRest(
  deps: ApiDependencies,
  tenant: Tenant,
  invocationId: string,
  timeoutMs: number,
  begin: () => Promise<'begun' | 'look_first'>,
  signal: AbortSignal,
): Promise<InvocationRecord | null> {
  const deadline = Date.now() + timeoutMs;
  const done = new AbortController();
  const release = abortWith(signal, done);
  try {
    let woken = deps.settlements.wait(invocationId, timeoutMs, done.signal);
    let mustWait = (await begin()) === 'begun';
    for (;;) {
      const result = mustWait ? await woken : 'notified';
      if (signal.aborted) throw new RequestAbortedError();
      const timedOut = result === 'timeout';
      if (mustWait) woken = deps.settlements.wait(invocationId, Math.max(1, deadline - Date.now()), done.signal);
      const invocation = await readPatiently(deps, tenant, invocationId, deadline);
      if (!invocation || timedOut || rests(invocation)) return invocation;
      mustWait = true;
    }
  } finally {
    release();
    done.abort();
  }
}

/** The invocation continues even if this read fails: retries while the database is briefly unavailable. */
async function readPatiently(
  deps: ApiDependencies,
  tenant: Tenant,
  invocationId: string,
  deadline: number,
): Promise<InvocationRecord | null> {
  for (;;) {
    try {
      return await readInvocation(deps, tenant, invocationId);
    } catch (error) {
      if (!isPassing(error) || Date.now() + READ_RETRY_INTERVAL_MS > deadline) throw error;
      await delay(READ_RETRY_INTERVAL_MS);
    }
  }
}
