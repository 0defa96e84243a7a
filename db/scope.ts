import { isId } from '../domain/ids.ts';
import { ROLES, type Role } from '../domain/roles.ts';

/** The scope of a transaction: row-level security compares every row with it. */
export interface Scope {
  workspaceId?: string;
  environmentId?: string;
  userId?: string;
}

/** The credential behind a transaction, as of its lookup. */
export type Credential =
  | { type: 'api_key'; keyId: string }
  /** `membership` is set where the request works in a workspace: the role must still be the same. */
  | { type: 'session'; sessionId: string; userId: string; membership: { workspaceId: string; role: Role } | null };

/** When the commit of a transaction reaches the disk. */
export interface CommitOptions {
  /**
   * `with_the_next`: the transaction does not wait for its commit to be flushed. It is durable no later than the next commit that
   * does wait, because PostgreSQL flushes commits in order (without one, within 0.6 s). Use it only where nothing is reported
   * before such a commit: a crash of PostgreSQL in between undoes the transaction.
   */
  flush?: 'now' | 'with_the_next';
}

export interface TransactionOptions extends CommitOptions {
  /** Nothing is written. The result is returned without waiting for the COMMIT, which has nothing to make durable. */
  readOnly?: boolean;
  /**
   * Checked again by the statement that begins the transaction, and held until its end: a revocation waits for this transaction,
   * and a later transaction fails with CREDENTIAL_ENDED. See migration 0004.
   */
  held?: Credential;
}

/** The SQLSTATE of a transaction whose credential was revoked, expired or removed, or whose role changed. */
export const CREDENTIAL_ENDED = 'SC001';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isUuid = (id: string): boolean => UUID.test(id);

const SETTINGS: Record<keyof Scope, { name: string; takes: string; isWellFormed: (id: string) => boolean }> = {
  workspaceId: { name: 'app.workspace_id', takes: 'UUIDs', isWellFormed: isUuid },
  environmentId: { name: 'app.environment_id', takes: 'UUIDs', isWellFormed: isUuid },
  userId: { name: 'app.user_id', takes: 'ids of users', isWellFormed: (id) => isId('user', id) },
};

/**
 * The ids are part of the statement's text, so that it takes one round trip and no parameters; each must therefore have the form
 * of an id. A member that is present without an id throws: it must not widen the scope.
 */
export function beginAs(scope: Scope, { flush = 'now', readOnly = false, held }: TransactionOptions = {}): string {
  const statements = [readOnly ? 'BEGIN READ ONLY' : 'BEGIN'];
  for (const key of Object.keys(scope) as (keyof Scope)[]) {
    const { name, takes, isWellFormed } = SETTINGS[key];
    const id = scope[key];
    if (typeof id !== 'string' || !isWellFormed(id)) throw new Error(`the ${key} of a transaction takes ${takes}`);
    statements.push(`SET LOCAL ${name} = '${id}'`);
  }
  if (flush === 'with_the_next') statements.push('SET LOCAL synchronous_commit = off');
  if (held !== undefined) statements.push(holdStatement(held));
  return statements.join('; ');
}

/** As above, the text contains only ids, checked by their form, and roles. */
function holdStatement(held: Credential): string {
  if (held.type === 'api_key') {
    if (!isId('apiKey', held.keyId)) throw new Error('a held API key is named by its id');
    return `SELECT hold_api_key('${held.keyId}')`;
  }
  const { sessionId, userId, membership } = held;
  if (!isId('signInSession', sessionId) || !isId('user', userId)) throw new Error('a held session is named by its ids');
  if (membership === null) return `SELECT hold_session('${sessionId}', '${userId}', NULL, NULL)`;
  const { workspaceId, role } = membership;
  if (!isUuid(workspaceId) || !ROLES.includes(role)) throw new Error('a held membership is a workspace and a role');
  return `SELECT hold_session('${sessionId}', '${userId}', '${workspaceId}', '${role}')`;
}
