import type { EnvironmentTransaction } from '../client.ts';

/** Records the reminder with this number, once, while the approval is pending. Returns false otherwise. */
export async function recordReminder(
  tx: EnvironmentTransaction,
  { approvalId, reminder, at }: { approvalId: string; reminder: number; at: Date },
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `UPDATE approvals SET reminders_sent = :reminder, last_reminded_at = :at
     WHERE id = :approvalId AND status = 'pending' AND reminders_sent = :before RETURNING id`,
    { approvalId, reminder, before: reminder - 1, at },
  );
  return rows.length > 0;
}
