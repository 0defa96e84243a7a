import type { Database, Tenant } from '../client.ts';

/** The environment that a request of a chat is for. Its path names the integration; nobody is signed in. */
export async function findIntegration(db: Database, id: string): Promise<Tenant | null> {
  return db.directory.row<Tenant>(
    'find_integration',
    'SELECT environment_id AS "environmentId", workspace_id AS "workspaceId" FROM find_integration(?)',
    [id],
  );
}

/** Rows of one call: a transaction of well under a second. */
const ROWS_MAX = 1_000;

/** Deletes a part of the clicks, in every environment, that are an hour old. 0: none is left. */
export async function deleteOldClicks(db: Database): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_old_clicks',
    'SELECT delete_old_chat_clicks(?) AS deleted',
    [ROWS_MAX],
  );
  return row?.deleted ?? 0;
}

/** Deletes a part of the link codes, in every environment, that are past their time. 0: none is left. */
export async function deleteExpiredLinkCodes(db: Database): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_expired_link_codes',
    'SELECT delete_expired_link_codes(?) AS deleted',
    [ROWS_MAX],
  );
  return row?.deleted ?? 0;
}
