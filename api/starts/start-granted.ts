import type { Client } from '@temporalio/client';
import { inBatches } from '../../domain/batches-of.ts';
import type { Database, Tenant } from '../../db/client.ts';
import { grantWaiting } from '../../db/flow-control/queue.ts';
import type { FlowControlKeyRef, Grant } from '../../domain/flow-control/flow-control.ts';
import { PACE_SIGNAL, paceFlowControlStart } from '../../temporal/flow-control/pace-flow-control.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { wakeMessageWorkflow } from './message-workflows.ts';
import type { PacedStarts } from './paced-starts.ts';
import { signalOrStart } from './start-workflow.ts';

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
  await signalOrStart(client, paceFlowControlStart(ref, taskQueue, environmentName), PACE_SIGNAL);
}

/**
 * Starts granted messages and, if needed, the pacer of their key; after the commit. The sweep repairs a failed start. The activities have
 * a copy of this: neither folder may import the other, and a worker has time to try again, which a request has not.
 */
export async function startGranted(
  { temporal, taskQueue }: GrantStarters,
  { tenant: { workspaceId, environmentId }, environment }: GrantTenant,
  grant: Grant | null,
  paced: Pick<PacedStarts, 'start'> = { start: (_workspaceId, start) => start() },
): Promise<void> {
  if (grant === null) return;
  const { name: environmentName } = environment;
  const { keyId, messageIds, paces } = grant;
  const wake = (messageId: string): Promise<void> =>
    wakeMessageWorkflow(temporal, { messageId, workspaceId, environmentId }, { environmentName, taskQueue });
  await Promise.all([
    ...messageIds.map((messageId) => paced.start(workspaceId, () => wake(messageId))),
    ...(paces
      ? [paceFlowControlWorkflow(temporal, { keyId, workspaceId, environmentId }, environmentName, taskQueue)]
      : []),
  ]);
}

/**
 * Grants the messages of these keys that may be sent now. It runs after the commit that accepted new ones, in a transaction of its own,
 * so the lock of a key is held for one statement and not while a batch is written. While many starts of the workspace are under way, the
 * keys of many requests are granted together; each message that ends grants more of its key.
 */
export async function grantNewMessages(
  deps: GrantStarters & { db: Database; pacedStarts: PacedStarts },
  of: GrantTenant,
  keyIds: readonly string[],
): Promise<void> {
  const { db, pacedStarts } = deps;
  const { tenant } = of;
  const grant = async (keyId: string): Promise<void> =>
    startGranted(deps, of, await db.oneStatement(tenant, (tx) => grantWaiting(tx, keyId)), pacedStarts);
  const grantEach = (ids: readonly string[]): Promise<void> =>
    inBatches([...new Set(ids)], GRANTS_AT_ONCE, (keyId) =>
      // It counts from the ask on: others that come meanwhile see it.
      pacedStarts.start(tenant.workspaceId, () => grant(keyId)),
    );
  if (keyIds.length === 0) return;
  if (!pacedStarts.isBusy(tenant.workspaceId)) await grantEach(keyIds);
  else await pacedStarts.handOver('keys', tenant, [...new Set(keyIds)], grantEach);
}
