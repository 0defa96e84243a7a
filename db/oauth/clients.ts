import { createHash } from 'node:crypto';
import { networkOf } from '../../domain/address-ranges.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Database } from '../client.ts';

/** From one network (`networkOf`) within an hour. */
export const REGISTRATIONS_PER_HOUR_MAX = 20;
/** In the whole installation. The sweep makes room: it deletes what nobody connects. */
export const REGISTERED_CLIENTS_MAX = 10_000;

export type Registration = 'registered' | 'throttled' | 'full';

/** Stores an app that registers itself, or says why not. */
export async function registerClient(
  db: Database,
  client: { id: string; metadata: JsonObject; address: string },
): Promise<Registration> {
  const network = networkOf(client.address);
  const row = await db.directory.row<{ registration: Registration }>(
    'register_client',
    'SELECT register_oauth_client(?, ?::jsonb, ?, ?, ?) AS registration',
    [
      client.id,
      JSON.stringify(client.metadata),
      createHash('sha256').update(`oauth-registration/${network}`).digest(),
      REGISTRATIONS_PER_HOUR_MAX,
      REGISTERED_CLIENTS_MAX,
    ],
  );
  if (row === null) throw new Error('register_oauth_client answered nothing');
  return row.registration;
}

/** What an app said of itself when it registered. */
export async function findClient(db: Database, id: string): Promise<JsonObject | null> {
  const row = await db.directory.row<{ metadata: JsonObject | null }>(
    'find_client',
    'SELECT find_oauth_client(?) AS metadata',
    [id],
  );
  return row?.metadata ?? null;
}
