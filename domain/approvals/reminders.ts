/** When people are reminded of an approval that waits: at half of its time and at nine tenths. No imports: workflows read it. */
const REMINDED_AT = [0.5, 0.9] as const;
/** Two reminders closer together than this, or one so close to the beginning or the end, would be noise. */
export const REMINDER_GAP_MS_MIN = 60_000;

export function isLastReminder(approval: { createdAtMs: number; expiresAtMs: number; reminder: number }): boolean {
  return nextReminderMs({ ...approval, remindersSent: approval.reminder }) === null;
}

/** Time of the next reminder (ms since the epoch), or null. One too close to the previous or the end is left out. */
export function nextReminderMs(approval: {
  createdAtMs: number;
  expiresAtMs: number;
  remindersSent: number;
}): number | null {
  const { createdAtMs, expiresAtMs, remindersSent } = approval;
  const times: number[] = [];
  for (const part of REMINDED_AT) {
    const at = createdAtMs + Math.floor((expiresAtMs - createdAtMs) * part);
    const previous = times.at(-1) ?? createdAtMs;
    if (at - previous >= REMINDER_GAP_MS_MIN && expiresAtMs - at >= REMINDER_GAP_MS_MIN) times.push(at);
  }
  return times[remindersSent] ?? null;
}
