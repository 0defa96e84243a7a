import { ServiceError } from '../../domain/errors.ts';
import { NOTES_PER_EFFECT_MAX } from '../../domain/reconciliation/notes.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Throws QUOTA_EXCEEDED where the effect has its maximum of operator notes. Other writers of notes wait until this transaction ends. */
export async function requireNoteRoom(tx: EnvironmentTransaction, effectId: string): Promise<void> {
  // Serialized: two requests that counted at the same time would both miss the other's note.
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('notes/' || :effectId, 0))", { effectId });
  const { rows } = await tx.raw<{ rows: { notes: number }[] }>(
    "SELECT count(*)::int AS notes FROM evidence WHERE effect_id = :effectId AND source = 'operator_note'",
    { effectId },
  );
  if ((rows[0]?.notes ?? 0) < NOTES_PER_EFFECT_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An effect has at most ${NOTES_PER_EFFECT_MAX} notes, and notes are never removed. Keep further ones elsewhere.`,
  });
}
