import { isId } from '../domain/ids.ts';
import { ROLES, type Role } from '../domain/roles.ts';
import { isUuid } from '../domain/uuid.ts';
import type { BoundStatement } from './round-trip.ts';
import type { StatementName } from './statement.ts';

/** The scope of a transaction: row-level security compares every row with it. */
export interface Scope {
  workspaceId?: string;
  environmentId?: string;
  userId?: string;
}

/** The credential behind a transaction, as of its lookup. */
export type Credential =
  | { type: 'api_key'; keyId: string }
  /** The role must still be the same. */
  | { type: 'oauth'; grantId: string; userId: string; workspaceId: string; role: Role }
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
  /**
   * Called after a commit for which the server was told to stop waiting for its synchronous standbys, or which waited for none although
   * `requireSyncStandby` asks for one. It is committed there, and a failover may undo it.
   */
  onUnreplicated?: () => void;
  /**
   * Nothing is written. Each statement is a transaction by itself, in one round trip: at READ COMMITTED, which is ours, each
   * statement sees what is committed when it begins, in a common transaction too.
   */
  readOnly?: boolean;
  /** The `traceparent` that rows of this transaction are made under (migration 0047). */
  traceContext?: string;
  /** Called with the name of each statement before it is sent. */
  onStatement?: (name: StatementName) => void;
  /** Nothing is written, and every statement sees what was committed when the first one began: what they read fits together. */
  isSnapshot?: boolean;
  /**
   * Checked again by the statement that begins the transaction, and held until its end: a revocation waits for this transaction,
   * and a later transaction fails with CREDENTIAL_ENDED. See migration 0004.
   */
  held?: Credential;
}

/** The SQLSTATE of a transaction whose credential was revoked, expired or removed, or whose role changed. */
export const CREDENTIAL_ENDED = 'SC001';

interface Setting {
  /** Part of the name of the prepared statement. */
  mark: string;
  name: string;
  takes: string;
  isWellFormed: (id: string) => boolean;
}

const SETTINGS: Record<keyof Scope, Setting> = {
  workspaceId: { mark: 'w', name: 'app.workspace_id', takes: 'UUIDs', isWellFormed: isUuid },
  environmentId: { mark: 'e', name: 'app.environment_id', takes: 'UUIDs', isWellFormed: isUuid },
  userId: { mark: 'u', name: 'app.user_id', takes: 'ids of users', isWellFormed: (id) => isId('user', id) },
};
/** A commit waits until a standby has it on disk. */
export const IS_SYNCHRONOUS =
  "(current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply'))";
/** Otherwise a server or a login that is set to say less hides that a commit was not replicated. */
const WARNED = `set_config('client_min_messages', 'warning', true), ${IS_SYNCHRONOUS} AS "isSynchronous"`;
const UNFLUSHED = "set_config('synchronous_commit', 'off', true)";
const READ_ONLY = "set_config('transaction_read_only', 'on', true)";

/**
 * The statement that names the scope of its transaction, until the transaction ends. Each id must have the form of an id, and a
 * member that is present without an id throws; it must not widen the scope.
 */
export function scopeStatement(
  scope: Scope,
  { flush = 'now', readOnly = false, onUnreplicated, traceContext }: TransactionOptions,
): BoundStatement {
  const keys = Object.keys(scope) as (keyof Scope)[];
  const values: string[] = keys.map((key) => {
    const { takes, isWellFormed } = SETTINGS[key];
    const id = scope[key];
    if (typeof id !== 'string' || !isWellFormed(id)) throw new Error(`the ${key} of a transaction takes ${takes}`);
    return id;
  });
  const settings = keys.map((key, index) => `set_config('${SETTINGS[key].name}', $${index + 1}, true)`);
  let name = `scope_${keys.map((key) => SETTINGS[key].mark).join('')}`;
  if (flush === 'with_the_next') {
    settings.push(UNFLUSHED);
    name += '_unflushed';
  }
  if (readOnly) {
    settings.push(READ_ONLY);
    name += '_read_only';
  }
  if (onUnreplicated !== undefined) {
    settings.push(WARNED);
    name += '_replicated';
  }
  if (traceContext !== undefined && !readOnly) {
    settings.push(`set_config('app.trace_context', $${values.push(traceContext)}, true)`);
    name += '_traced';
  }
  return { name, text: `/* ${name} */ SELECT ${settings.join(', ')}`, values };
}

/** The statement that holds a credential until the end of its transaction. It fails with CREDENTIAL_ENDED. */
export function holdStatement(held: Credential): BoundStatement {
  if (held.type === 'api_key') {
    if (!isId('apiKey', held.keyId)) throw new Error('a held API key is named by its id');
    return { name: 'hold_api_key', text: 'SELECT hold_api_key($1)', values: [held.keyId] };
  }
  if (held.type === 'oauth') {
    const { grantId, userId, workspaceId, role } = held;
    if (!isId('connectedApp', grantId) || !isId('user', userId)) throw new Error('a held grant is named by its ids');
    if (!isUuid(workspaceId) || !ROLES.includes(role)) throw new Error('a held membership is a workspace and a role');
    return {
      name: 'hold_oauth_grant',
      text: 'SELECT hold_oauth_grant($1, $2, $3::uuid, $4)',
      values: [grantId, userId, workspaceId, role],
    };
  }
  const { sessionId, userId, membership } = held;
  if (!isId('signInSession', sessionId) || !isId('user', userId)) throw new Error('a held session is named by its ids');
  if (membership !== null && (!isUuid(membership.workspaceId) || !ROLES.includes(membership.role))) {
    throw new Error('a held membership is a workspace and a role');
  }
  const values = [sessionId, userId, membership?.workspaceId ?? null, membership?.role ?? null];
  return { name: 'hold_session', text: 'SELECT hold_session($1, $2, $3::uuid, $4)', values };
}
