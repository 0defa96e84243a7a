import type { ActionRecord } from '../../db/actions/records.ts';
import type { AuditEntry } from '../http/define-route.ts';

/** Records the version that is now current; its definition is immutable and readable by its id. */
export function actionEntry(
  change: 'action.created' | 'action.updated' | 'action.archived',
  { id, name, currentVersion, mcpPinned }: ActionRecord,
  before?: ActionRecord,
): AuditEntry {
  const renamed = before !== undefined && before.name !== name ? { previousName: before.name } : {};
  const pinned = mcpPinned === (before?.mcpPinned ?? false) ? {} : { mcpPinned };
  return {
    action: change,
    target: { type: 'action', id },
    details: { name, version: currentVersion.number, digest: currentVersion.digest, ...renamed, ...pinned },
  };
}
