import type { EnvironmentTransaction } from '../client.ts';
import { LIVE, SESSION_COLUMNS, type SessionRecord } from './records.ts';

/** Null where there is none, or it is past its end. */
export async function getSession(tx: EnvironmentTransaction, id: string): Promise<SessionRecord | null> {
  const { rows } = await tx.raw<{ rows: SessionRecord[] }>(
    `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = :id AND ${LIVE}`,
    { id },
  );
  return rows[0] ?? null;
}

/** The same, with its row locked: appends and other changes of the session wait until the transaction ends. */
export async function lockSession(tx: EnvironmentTransaction, id: string): Promise<SessionRecord | null> {
  const { rows } = await tx.raw<{ rows: SessionRecord[] }>(
    `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = :id AND ${LIVE} FOR UPDATE`,
    { id },
  );
  return rows[0] ?? null;
}
