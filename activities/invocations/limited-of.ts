import type { Judging } from './read-facts.ts';

/** What impact limits count of it; null where it is plain, or uses nothing up. */
export function limitedOf({ work, facts: { impact }, prepared }: Judging) {
  if (!work.definition.governed || !impact?.ok || impact.quantities.length === 0 || prepared.kind === 'invalid')
    return null;
  return {
    impact: impact.quantities,
    target: prepared.target,
    actionName: work.actionName,
    adapterType: work.definition.adapter.type,
    apiKeyId: work.requestedBy.type === 'api_key' ? work.requestedBy.id : null,
    agentId: work.agentId,
  };
}
