import { isId } from '../domain/ids.ts';

/** What a transaction is for: row-level security compares every row with it. */
export interface Scope {
  workspaceId?: string;
  environmentId?: string;
  userId?: string;
}

/** When the commit of a transaction reaches the disk. */
export interface CommitOptions {
  /**
   * `with_the_next`: the commit is not waited for; it is on the disk at the latest when a later commit of any transaction is
   * that does wait, because PostgreSQL writes them in their order. Only for what nobody is told of before such a one: after a
   * crash of PostgreSQL in between, it is as if the transaction had never been. (Without a later one: 0.6 s.)
   */
  flush?: 'now' | 'with_the_next';
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isUuid = (id: string): boolean => UUID.test(id);

const SETTINGS: Record<keyof Scope, { name: string; takes: string; isWellFormed: (id: string) => boolean }> = {
  workspaceId: { name: 'app.workspace_id', takes: 'UUIDs', isWellFormed: isUuid },
  environmentId: { name: 'app.environment_id', takes: 'UUIDs', isWellFormed: isUuid },
  userId: { name: 'app.user_id', takes: 'ids of users', isWellFormed: (id) => isId('user', id) },
};

/**
 * The ids stand in the statement itself, so that it takes one round trip and no parameters: each must be one by its form.
 * A member that is there and holds no id throws; it must not widen the scope.
 */
export function beginAs(scope: Scope, { flush = 'now' }: CommitOptions = {}): string {
  const statements = ['BEGIN'];
  for (const key of Object.keys(scope) as (keyof Scope)[]) {
    const { name, takes, isWellFormed } = SETTINGS[key];
    const id = scope[key];
    if (typeof id !== 'string' || !isWellFormed(id)) throw new Error(`the ${key} of a transaction takes ${takes}`);
    statements.push(`SET LOCAL ${name} = '${id}'`);
  }
  if (flush === 'with_the_next') statements.push('SET LOCAL synchronous_commit = off');
  return statements.join('; ');
}
