import type { EnvironmentTransaction } from '../client.ts';

export interface RemindedApproval {
  title: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Records the reminder with this number, once, while the approval is pending. Returns null otherwise. */
export async function recordReminder(
  tx: EnvironmentTransaction,
  { approvalId, reminder, at }: { approvalId: string; reminder: number; at: Date },
): Promise<RemindedApproval | null> {
  const { rows } = await tx.raw<{ rows: RemindedApproval[] }>(
    `UPDATE approvals SET reminders_sent = :reminder, last_reminded_at = :at
     WHERE id = :approvalId AND status = 'pending' AND reminders_sent = :before
     RETURNING title, created_at AS "createdAt", expires_at AS "expiresAt"`,
    { approvalId, reminder, before: reminder - 1, at },
  );
  return rows[0] ?? null;
}
