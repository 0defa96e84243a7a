import { approvalUrl } from '../console-links.ts';
import { INTERNAL_EVENT_TYPES, NOTIFIED_EVENT_TYPES } from '../events/event-types.ts';

/** What members are told of, and where: docs/notifications.md. */
export const NOTIFICATION_TYPES = [...NOTIFIED_EVENT_TYPES, ...INTERNAL_EVENT_TYPES] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** Changes of the workspace's protection. Admins and owners get them too: the recipients may be what changed. */
export const SECURITY_TYPES: ReadonlySet<string> = new Set<NotificationType>([
  'signing_key.rotated',
  'notification_preferences.updated',
]);

export const SUBJECT_TYPES = [
  'approval',
  'effect',
  'impact_limit',
  'api_key',
  'message',
  'subscription',
  'environment',
  'signing_key',
  'workspace',
] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

export const TITLE_CHARACTERS_MAX = 200;
export const BODY_CHARACTERS_MAX = 2_000;

export interface NotificationDraft {
  type: NotificationType;
  title: string;
  body: string;
  subject: { type: SubjectType; id: string };
  /** Drafts of an environment with the same key are one notification with a count. */
  coalesceKey: string;
  /** For the list alone: another environment's notification of the same change goes to the channels. */
  listedOnly?: boolean;
  /** Channels that the change removed. They hear of it once more. */
  removed?: { alertWebhookUrl: string | null; emailRecipients: readonly string[] };
}

/** The page where a person acts on it; null where there is none, or nobody said how the service is reached. */
export function linkOfSubject(
  pagesUrl: string | null,
  environmentId: string,
  subject: NotificationDraft['subject'],
): string | null {
  return subject.type === 'approval' ? approvalUrl(pagesUrl, environmentId, subject.id) : null;
}
