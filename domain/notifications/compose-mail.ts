import { linkOfSubject, type NotificationDraft, SECURITY_TYPES } from './notifications.ts';
import type { Mail } from './mailer.ts';

export interface MailSource {
  emailId: string;
  recipient: string;
  notification: Pick<NotificationDraft, 'type' | 'title' | 'body' | 'subject'> & { id: string };
  environment: { id: string; name: string };
  workspaceName: string;
}

/** Plain text, which no reader turns into something else. The link stands alone in its line. */
export function composeMail(
  { emailId, recipient, notification, environment, workspaceName }: MailSource,
  pagesUrl: string | null,
): Mail {
  const { id, type, title, body, subject } = notification;
  const link = linkOfSubject(pagesUrl, environment.id, subject);
  const lines = [
    title,
    '',
    body,
    ...(link === null ? [] : ['', 'Read it and decide here, after you have signed in:', link]),
    '',
    `Environment: ${environment.name}`,
    `About: ${subject.type} ${subject.id}`,
    `Notification: ${id}`,
    '',
    SECURITY_TYPES.has(type)
      ? `${recipient} gets this because it concerns the security of the workspace "${workspaceName}": its admins, its e-mail recipients and those just removed are told.`
      : `${recipient} gets this as an e-mail recipient of the workspace "${workspaceName}". An admin of the workspace changes that in its notification preferences.`,
  ];
  return { id: emailId, to: recipient, subject: `[${environment.name}] ${title}`, text: `${lines.join('\n')}\n` };
}
