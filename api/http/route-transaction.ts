import { recordAccountAudit, recordAudit } from '../../db/audit/record-audit.ts';
import type { Database, EnvironmentTransaction, UserTransaction, WorkspaceTransaction } from '../../db/client.ts';
import { type Credential, CREDENTIAL_ENDED, type TransactionOptions } from '../../db/scope.ts';
import type { StoredAuthentication } from '../../domain/passkeys/authentication.ts';
import { codeOf } from '../../domain/failures.ts';
import type { Actor, Caller, MemberCaller, UserCaller } from './callers.ts';
import type { AuditEntry } from './route-forms.ts';

/** What the machinery opens for a route: one of the three. Its kind is that of the route, which its definition was typed with. */
export type RouteTransaction = EnvironmentTransaction & WorkspaceTransaction & UserTransaction;
export type AnyCaller = Caller | MemberCaller | UserCaller;

/** PostgreSQL aborted the transaction so that others could go on. The transaction is sound and may run again. */
const RUN_AGAIN_SQLSTATE = new Set(['40P01', '40001']);
export const RUNS_MAX = 4;

/** Runs a transaction again while PostgreSQL ends it for a deadlock or a serialization failure, a bounded number of times. */
export async function untilItCommits<T>(transact: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await transact();
    } catch (error) {
      if (run >= RUNS_MAX || !RUN_AGAIN_SQLSTATE.has(sqlStateOf(error) ?? '')) throw error;
    }
  }
}

export function isCredentialEnded(error: unknown): boolean {
  return sqlStateOf(error) === CREDENTIAL_ENDED;
}

function sqlStateOf(error: unknown): string | null {
  return error instanceof Error ? codeOf(error) : null;
}

/** One transaction of the route's kind: of the caller's environment, their workspace, or their account. */
export function openTransaction<T>(
  db: Database,
  caller: AnyCaller,
  environmentId: string | null,
  work: (tx: RouteTransaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const anyWork = (tx: EnvironmentTransaction | WorkspaceTransaction | UserTransaction): Promise<T> =>
    work(tx as RouteTransaction);
  if ('tenant' in caller) return db.withEnvironment(caller.tenant, anyWork, options);
  if (!('workspaceId' in caller)) return db.withUser(caller.userId, anyWork, options);
  const { workspaceId } = caller;
  if (environmentId === null) return db.withWorkspace(workspaceId, anyWork, options);
  return db.withEnvironment({ workspaceId, environmentId }, anyWork, options);
}

/** What must still hold when the transaction of a change commits. */
export function credentialOf(caller: AnyCaller): Credential {
  if (caller.type === 'api_key') return { type: 'api_key', keyId: caller.keyId };
  if (caller.type === 'oauth') {
    const { grantId, userId, workspaceId, role } = caller;
    return { type: 'oauth', grantId, userId, workspaceId, role };
  }
  const { sessionId, userId } = caller;
  const membership = 'role' in caller ? { workspaceId: caller.workspaceId, role: caller.role } : null;
  return { type: 'session', sessionId, userId, membership };
}

export function actorOf(caller: AnyCaller): Actor {
  if (caller.type === 'api_key') return { type: 'api_key', id: caller.keyId };
  if (caller.type === 'oauth') return { type: 'user', id: caller.userId, clientId: caller.clientId };
  return { type: 'user', id: caller.userId };
}

/** How the caller is authenticated, as records keep it. */
export function authenticationOf(caller: AnyCaller): StoredAuthentication {
  if (caller.type !== 'session') return { method: caller.type, at: null };
  const { method, at } = caller.authentication;
  return { method, at: at.toISOString() };
}

/** Appends an entry with its workspace (of an account: in each of the user's), its actor and its request. */
export async function appendAudit(
  tx: RouteTransaction,
  caller: AnyCaller,
  requestId: string,
  entry: AuditEntry,
): Promise<void> {
  const through = caller.type === 'oauth' ? { clientId: caller.clientId, connectedAppId: caller.grantId } : {};
  const details = { ...entry.details, ...through };
  const change = { ...entry, details, actor: actorOf(caller), authentication: authenticationOf(caller), requestId };
  if (!('workspaceId' in caller)) return recordAccountAudit(tx, caller.userId, change);
  await recordAudit(tx, { ...change, workspaceId: caller.workspaceId });
}
