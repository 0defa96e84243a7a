import type { EnvironmentTransaction } from '../client.ts';

/** Returns false where there is no such integration. */
export async function toggleIntegration(tx: EnvironmentTransaction, id: string, isActive: boolean): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'UPDATE integrations SET is_active = ?, updated_at = now() WHERE id = ? RETURNING id',
    [isActive, id],
  );
  return rows.length > 0;
}

/** Returns false where there is no such Slack integration. */
export async function setSlackChannel(
  tx: EnvironmentTransaction,
  id: string,
  channel: { id: string; name: string },
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `UPDATE integrations SET channel_id = ?, channel_name = ?, updated_at = now() WHERE id = ? AND provider = 'slack' RETURNING id`,
    [channel.id, channel.name, id],
  );
  return rows.length > 0;
}
