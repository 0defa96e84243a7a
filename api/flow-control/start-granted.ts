import type { Client } from '@temporalio/client';
import { batchesOf } from '../../domain/batches-of.ts';
import type { Database, Tenant } from '../../db/client.ts';
import { grantWaiting } from '../../db/flow-control/grant-waiting.ts';
import type { FlowControlKeyRef, Grant } from '../../domain/flow-control/flow-control.ts';
import { PACE_SIGNAL, paceFlowControlStart } from '../../temporal/flow-control/pace-flow-control.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { wakeMessageWorkflow } from '../messages/message-workflows.ts';

/** A batch may name a thousand keys, whose publisher waits for their grants. Each holds a connection. */
const GRANTS_AT_ONCE = 5;

/** What starts what a grant let through. */
export interface GrantStarters {
  temporal: Client;
  taskQueue: string;
}

/** Whose messages are started: the part of a caller that this needs. */
export interface GrantTenant {
  tenant: Tenant;
  environment: { name: string };
}

/** Starts the pacer of a key, or tells a running one that the time of its look came forward. */
export async function paceFlowControlWorkflow(
  client: Client,
  ref: FlowControlKeyRef,
  environmentName: string | null,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  const { type, options } = paceFlowControlStart(ref, taskQueue, environmentName);
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
    client.workflow.signalWithStart(type, { ...options, signal: PACE_SIGNAL }),
  );
}

/**
 * Starts granted messages and, where it is needed, the pacer of their key; after the commit. What fails is found by the sweep. The
 * activities have a twin: neither floor may import the other, and a worker has the time to try again, which a request has not.
 */
export async function startGranted(
  { temporal, taskQueue }: GrantStarters,
  { tenant: { workspaceId, environmentId }, environment }: GrantTenant,
  grant: Grant | null,
): Promise<void> {
  if (grant === null) return;
  const { name: environmentName } = environment;
  const { keyId, messageIds, paces } = grant;
  await Promise.all([
    ...messageIds.map((messageId) =>
      wakeMessageWorkflow(temporal, { messageId, workspaceId, environmentId }, { environmentName, taskQueue }),
    ),
    ...(paces
      ? [paceFlowControlWorkflow(temporal, { keyId, workspaceId, environmentId }, environmentName, taskQueue)]
      : []),
  ]);
}

/**
 * Grants what new messages of these keys may send now. It runs after the commit that accepted them, in a transaction of its own:
 * the lock of a key is then held for one statement, and not while a batch is written.
 */
export async function grantNewMessages(
  deps: GrantStarters & { db: Database },
  of: GrantTenant,
  keyIds: readonly string[],
): Promise<void> {
  const grant = async (keyId: string): Promise<void> =>
    startGranted(deps, of, await deps.db.oneStatement(of.tenant, (tx) => grantWaiting(tx, keyId)));
  for (const batch of batchesOf([...new Set(keyIds)], GRANTS_AT_ONCE)) await Promise.all(batch.map(grant));
}
