import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../client.ts';
import { type EndedBy, endGrant, findGrant } from './grants.ts';

/**
 * Ends a grant that its user did not end: the app gave its token back, or somebody presented a code or a refresh token that was used before.
 * With the commit every token of the grant is refused, and changes under way have been waited for.
 */
export async function disconnectApp(db: Database, grantId: string, endedBy: EndedBy): Promise<void> {
  const grant = await findGrant(db, grantId);
  if (grant === null) return; // it has ended, or its user left
  const { tenant, userId, clientId } = grant;
  await db.withEnvironment(tenant, async (tx) => {
    if (!(await endGrant(tx, grantId, endedBy))) return;
    await recordAudit(tx, {
      workspaceId: tenant.workspaceId,
      actor: { type: 'system', id: null },
      action: 'app.disconnected',
      target: { type: 'connected_app', id: grantId },
      details: { endedBy, userId, clientId },
    });
  });
}
