import type { RaisedEventType } from '../events/event-types.ts';
import type { JsonObject } from '../json.ts';
import {
  BODY_CHARACTERS_MAX,
  type NotificationDraft,
  type NotificationType,
  SECURITY_TYPES,
  type SubjectType,
  TITLE_CHARACTERS_MAX,
} from './notifications.ts';

export interface NotifiedEvent {
  /** Its place in the outbox, which is unique. */
  id: string;
  type: RaisedEventType;
  data: JsonObject;
  occurredAt: Date;
}

/** In place of a member that the data lacks. */
export const NOT_GIVEN = '(not given)';

interface Told {
  title: string;
  body: string;
  subject: { type: SubjectType; id: string };
}

/** The notification of an event, or null. Messages that fail within one hour are one with a count. */
export function draftOfEvent({ id, type, data, occurredAt }: NotifiedEvent): NotificationDraft | null {
  if (!isNotified(type)) return null;
  const { title, body, subject } = TELLERS[type](data);
  const coalesceKey = type === 'message.failed' ? `${type}/${hourOf(occurredAt)}` : `${type}/${id}`;
  const draft = { type, title: line(title), body: cut(body, BODY_CHARACTERS_MAX), subject, coalesceKey };
  if (!SECURITY_TYPES.has(type)) return draft;
  return { ...draft, listedOnly: data['toChannels'] !== true, removed: removedChannels(data) };
}

function removedChannels({ removedWebhookUrl: url, removedRecipients: recipients }: JsonObject): {
  alertWebhookUrl: string | null;
  emailRecipients: string[];
} {
  return {
    alertWebhookUrl: typeof url === 'string' ? url : null,
    emailRecipients: Array.isArray(recipients) ? recipients.filter((one) => typeof one === 'string') : [],
  };
}

const TELLERS: Record<NotificationType, (data: JsonObject) => Told> = {
  'approval.requested': (data) => ({
    title: `Approval requested: ${text(data, 'title')}`,
    body: `${text(data, 'quorum')} must agree before ${text(data, 'expiresAt')}. Read what will be sent, then approve or deny it.`,
    subject: subject('approval', data, 'approvalId'),
  }),
  'approval.expiring': (data) => ({
    title: `Approval about to expire: ${text(data, 'title')}`,
    body: `Nobody has decided it yet. It expires at ${text(data, 'expiresAt')}, and nothing is sent then.`,
    subject: subject('approval', data, 'approvalId'),
  }),
  'effect.unknown': (data) => ({
    title: `Outcome unknown: ${text(data, 'action')}`,
    body: `Invocation ${text(data, 'invocationId')} was sent and its answer was not seen. It is not sent again. The service now reads at the provider.`,
    subject: subject('effect', data, 'effectId'),
  }),
  'effect.exhausted': (data) => ({
    title: `Outcome still unknown: ${text(data, 'action')}`,
    body: `${text(data, 'reads')} reads at the provider found no answer. A person must find out, and resolve invocation ${text(data, 'invocationId')}.`,
    subject: subject('effect', data, 'effectId'),
  }),
  'impact_limit.threshold': (data) => ({
    title: `Impact limit ${text(data, 'name')}: ${text(data, 'threshold')} % used`,
    body: `${text(data, 'used')} of ${text(data, 'cap')} is reserved or settled (${text(data, 'period')}).`,
    subject: subject('impact_limit', data, 'impactLimitId'),
  }),
  'impact_limit.exceeded': (data) => ({
    title: `Impact limit ${text(data, 'name')} refuses effects`,
    body: `An effect asked for ${text(data, 'requested')} more, and ${text(data, 'used')} of ${text(data, 'cap')} was used (${text(data, 'period')}).`,
    subject: subject('impact_limit', data, 'impactLimitId'),
  }),
  'budget.threshold': (data) => ({
    title: `Budget of an API key: ${text(data, 'threshold')} % used`,
    body: `Key ${text(data, 'apiKeyId')} has taken ${budgetUse(data)}.`,
    subject: subject('api_key', data, 'apiKeyId'),
  }),
  'budget.exceeded': (data) => ({
    title: 'The budget of an API key refuses operations',
    body: `Key ${text(data, 'apiKeyId')} has taken ${budgetUse(data)}, and asked for more.`,
    subject: subject('api_key', data, 'apiKeyId'),
  }),
  'usage.threshold': (data) => ({
    title: `${meterOf(data)}: ${text(data, 'threshold')} % used`,
    body: usageBody(data),
    subject: subject('workspace', data, 'workspaceId'),
  }),
  'message.failed': (data) => ({
    title: 'Messages have failed for good',
    body: `The first one of this hour went to ${hostOf(data)} and had ${text(data, 'attempts')} attempts. The count says how many failed. All are dead letters: read, retry or delete them there.`,
    subject: subject('message', data, 'messageId'),
  }),
  'subscription.disabled': (data) => ({
    title: `Subscription disabled on topic ${text(data, 'topic')}`,
    body: `Every delivery to ${hostOf(data)} has failed since ${text(data, 'failingSince')}. Mend the receiver, enable the subscription, and recover what failed.`,
    subject: subject('subscription', data, 'subscriptionId'),
  }),
  'environment.halted': (data) => ({
    title: `Environment halted: ${text(data, 'name')}`,
    body: `Nothing is dispatched or delivered until it is resumed. Reason: ${text(data, 'reason')}`,
    subject: subject('environment', data, 'environmentId'),
  }),
  'environment.resumed': (data) => ({
    title: `Environment resumed: ${text(data, 'name')}`,
    body: `It was halted at ${text(data, 'haltedAt')}. What was held goes on.`,
    subject: subject('environment', data, 'environmentId'),
  }),
  'signing_key.rotated': (data) => ({
    title: 'The signing key of the workspace was rotated',
    body: `The new key is ${text(data, 'signingKeyId')}. ${text(data, 'by')} rotated it. Earlier keys sign until ${text(data, 'until')}: give the new secret to every receiver that verifies deliveries, in every environment. If nobody of you did this, rotate again and look at the audit log.`,
    subject: subject('signing_key', data, 'signingKeyId'),
  }),
  'notification_preferences.updated': (data) => ({
    title: 'The notification channels of the workspace were changed',
    body: `${text(data, 'by')} changed them, for all environments. The alert webhook was ${text(data, 'webhookBefore')} and is ${text(data, 'webhookAfter')}. E-mail recipients added: ${text(data, 'added')}, removed: ${text(data, 'removed')}. If nobody of you did this, set them right and look at the audit log.`,
    subject: subject('workspace', data, 'workspaceId'),
  }),
};

function isNotified(type: RaisedEventType): type is RaisedEventType & NotificationType {
  return Object.hasOwn(TELLERS, type);
}

function budgetUse(data: JsonObject): string {
  return `${text(data, 'taken')} of ${text(data, 'capMicrocents')} microcents of its cap "${text(data, 'cap')}" for ${text(data, 'month')}`;
}

const METERS: Readonly<Record<string, string>> = {
  executions: 'Executions of the month',
  messages: 'Messages of the month',
  egress: 'Egress of the month',
  memory_processing: 'Memory operations of the month',
  notification_emails: 'Notification e-mails of the month',
  spend: 'Alert target of the workspace',
};

function meterOf(data: JsonObject): string {
  return METERS[text(data, 'meter')] ?? NOT_GIVEN;
}

function usageBody(data: JsonObject): string {
  const month = text(data, 'month');
  if (data['meter'] === 'spend')
    return `${text(data, 'used')} of ${text(data, 'limit')} minor units (${text(data, 'currency')}) are spent in ${month}. Nothing is refused because of it.`;
  const all = data['threshold'] === 100 ? ' New work that needs more is refused until the next month.' : '';
  return `The workspace has used ${text(data, 'used')} of ${text(data, 'limit')} in ${month}, in all its environments.${all}`;
}

/** A path or a query may carry a credential of the receiver. */
function hostOf(data: JsonObject): string {
  const url = text(data, 'url');
  return URL.canParse(url) ? new URL(url).host : 'its destination';
}

function subject(type: SubjectType, data: JsonObject, member: string): Told['subject'] {
  return { type, id: text(data, member) };
}

/** Also of an event whose data lacks the member: people are told, whatever else is wrong. */
function text(data: JsonObject, member: string): string {
  const value = data[member];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : NOT_GIVEN;
}

/** One line: titles are subjects of e-mails. */
function line(title: string): string {
  return cut(title.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), TITLE_CHARACTERS_MAX);
}

/** No half of a surrogate pair is left at the end. */
function cut(value: string, charactersMax: number): string {
  return value.length <= charactersMax ? value : value.slice(0, charactersMax).replace(/\p{Surrogate}$/u, '');
}

function hourOf(time: Date): string {
  return time.toISOString().slice(0, 'YYYY-MM-DDTHH'.length);
}
