/** Emails of notifications: docs/notifications.md, "Email". No imports: workflows read it. */
export const EMAIL_RECIPIENTS_MAX = 20;
export const EMAIL_ADDRESS_CHARACTERS_MAX = 254;

/** `refused`: the plan's monthly allowance was used up. `unknown`: it may have arrived, and is not sent again. */
export type EmailStatus = 'queued' | 'sending' | 'sent' | 'refused' | 'failed' | 'unknown';
export type EmailEnd = Exclude<EmailStatus, 'queued' | 'sending'>;

export interface EmailRef {
  emailId: string;
  workspaceId: string;
  environmentId: string;
}

export type EmailStep = { next: 'wait'; delayMs: number } | { next: 'end'; status: EmailEnd };

/** Waits before another attempt, of what the mail server certainly did not take. After the last one the e-mail has failed. */
export const EMAIL_RETRY_DELAYS_SECONDS = [60, 300, 1_800, 7_200, 21_600] as const;

/** A whole conversation with the mail server ends within this time. */
export const EMAIL_TRANSFER_TIMEOUT_MS = 60_000;
/** And the attempt, with the statements before and after it. */
export const EMAIL_ATTEMPT_TIMEOUT_MS = 2 * EMAIL_TRANSFER_TIMEOUT_MS;
