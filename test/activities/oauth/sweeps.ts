import { randomBytes } from 'node:crypto';
import { newId } from '../../../domain/ids.ts';
import type { ActivityWorld } from '../invocations/world.ts';
import { type DeclaredSweeps, deleting, deletingById } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  rows: {
    'expired-oauth-artifacts': async (world) => {
      // The last one expired a moment ago, and clocks differ.
      await world.database.asOwner(`INSERT INTO oauth_artifacts (hash, kind, payload, expires_at)
        SELECT decode(repeat(n, 32), 'hex'), 'Interaction', '{}', now() - e::interval
        FROM (VALUES ('01', '1 hour'), ('02', '1 hour'), ('03', '1 hour'), ('04', '1 second')) v (n, e)`);
      const ids = ['01', '02', '03'].map((n) => n.repeat(32));
      const idSql = `encode(hash, 'hex')`;
      return deleting(world, 'oauth_artifacts', { ids, idSql, poison: `get_byte(OLD.hash, 0) = 2` });
    },
    'unused-oauth-clients': async (world) => {
      // The last two are kept: one is new, one is connected.
      await world.database.asOwner(`INSERT INTO oauth_clients (id, metadata, address_hash, created_at, last_used_at)
        SELECT n, '{}', decode(repeat('01', 32), 'hex'), now() - c::interval, now() - u::interval FROM (VALUES
          ('a', '25 hours', NULL), ('b', '25 hours', '1 hour'), ('c', '100 days', '91 days'),
          ('d', '23 hours', NULL), ('e', '100 days', '91 days')) v (n, c, u)`);
      await plantGrants(world, [
        ['c', `ended_at = now(), ended_by = 'user'`],
        ['e', 'last_used_at = now()'],
      ]);
      return deletingById(world, 'oauth_clients', ['a', 'b', 'c']);
    },
    'ended-oauth-grants': async (world) => {
      const [a = '', b = '', c = ''] = await plantGrants(world, [
        ['a', `ended_at = now() - interval '91 days', ended_by = 'user'`],
        ['b', `ended_at = now() - interval '91 days', ended_by = 'reuse'`],
        ['c', `created_at = now() - interval '500 days', expires_at = now() - interval '91 days'`],
        ['d', `ended_at = now() - interval '89 days', ended_by = 'app'`],
      ]);
      return deleting(world, 'oauth_grants', { ids: [a, b, c].sort(), poison: `OLD.id = '${b}'` });
    },
  },
};

/** One grant of an app for each client id, changed so. Answers their ids, in order. */
async function plantGrants(
  { database }: ActivityWorld,
  wanted: readonly (readonly [clientId: string, change: string])[],
): Promise<string[]> {
  const user = newId('user');
  const { workspaceId, environmentId } = database.tenant;
  await database.asOwner(`INSERT INTO users (id, email, name, password_hash) VALUES ($1, $1, 'A member', 'none')`, [
    user,
  ]);
  const ids: string[] = [];
  for (const [clientId, change] of wanted) {
    const id = newId('connectedApp');
    await database.asOwner(
      `INSERT INTO oauth_grants (id, user_id, workspace_id, environment_id, client_id, client_name, resource, scopes, openid, request_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, 'App', 'mcp', '{}', false, decode($6, 'hex'), now() + interval '1 day')`,
      [id, user, workspaceId, environmentId, clientId, randomBytes(32).toString('hex')],
    );
    await database.asOwner(`UPDATE oauth_grants SET ${change} WHERE id = $1`, [id]);
    ids.push(id);
  }
  return ids;
}
