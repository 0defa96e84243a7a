import type { EnvironmentTransaction } from '../client.ts';

/** What is known of who decides, beside their credential: the name of a key, the e-mail address of a member. */
export async function readPrincipalNames(
  tx: EnvironmentTransaction,
  actor: { type: 'api_key' | 'user'; id: string },
): Promise<{ keyName: string | null; email: string | null }> {
  const { rows } = await tx.raw<{ rows: { name: string }[] }>(
    actor.type === 'api_key'
      ? 'SELECT name FROM api_keys WHERE id = ?'
      : 'SELECT email AS name FROM users WHERE id = ?',
    [actor.id],
  );
  const name = rows[0]?.name ?? null;
  return actor.type === 'api_key' ? { keyName: name, email: null } : { keyName: null, email: name };
}
