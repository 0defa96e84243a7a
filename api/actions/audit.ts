import type { ActionRecord } from '../../db/actions/records.ts';
import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { Actor, Caller } from '../http/define-route.ts';

interface Who {
  caller: Caller;
  actor: Actor;
  requestId: string;
}

/** Records a change of an action with the version that is now current, whose definition is immutable and readable by its id. */
export async function recordActionChange(
  tx: EnvironmentTransaction,
  change: 'action.created' | 'action.updated' | 'action.archived',
  action: ActionRecord,
  { caller, actor, requestId }: Who,
  before?: ActionRecord,
): Promise<void> {
  const { name, currentVersion } = action;
  const renamed = before !== undefined && before.name !== name ? { previousName: before.name } : {};
  await recordAudit(tx, {
    workspaceId: caller.tenant.workspaceId,
    actor,
    action: change,
    target: { type: 'action', id: action.id },
    details: { name, version: currentVersion.number, digest: currentVersion.digest, ...renamed },
    requestId,
  });
}
