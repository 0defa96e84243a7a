/** The words of an approval's life; the database holds the same in its constraints. No imports: workflows read it. */
export const APPROVAL_STATUSES = [
  'pending',
  'approved',
  'denied',
  'expired',
  'cancelled',
  'invalidated',
  'consumed',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const APPROVAL_KINDS = ['invocation', 'free_standing'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export const DECISIONS = ['approve', 'deny'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Where an approval's rows are found: what workflows and activities hand each other. */
export interface ApprovalRef {
  approvalId: string;
  workspaceId: string;
  environmentId: string;
  /** Null for a free-standing approval, for work that its caller runs. */
  invocationId: string | null;
}

/** The times that `awaitApproval` waits for, in RFC 3339. */
export interface ApprovalWatch {
  status: ApprovalStatus;
  createdAt: string;
  expiresAt: string;
  remindersSent: number;
  decisions: number;
  quorum: number;
  /** The chats that it is to be posted to and was not: ids of integrations. */
  unposted?: string[];
}
