import { z } from 'zod';
import { raiseInWorkspace } from '../../db/events/publishing.ts';
import { acceptAlert } from '../../db/notifications/alerts.ts';
import {
  lockSettings,
  type NotificationSettings,
  putMutedTypes,
  putSettings,
  readMutedTypes,
  readSettings,
} from '../../db/notifications/settings.ts';
import { readPlan, readUsage } from '../../db/plans/plans.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { NOTIFICATION_TYPES } from '../../domain/notifications/notifications.ts';
import { PLAN_TABLE, usageResetsAt } from '../../domain/plans.ts';
import { auditedHost } from '../audit/audited-host.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  ownPreferencesBody,
  ownPreferencesSchema,
  preferencesBody,
  preferencesSchema,
  userOfCaller,
} from './schemas.ts';

async function presentPreferences(
  tx: EnvironmentTransaction,
  settings: NotificationSettings,
): Promise<z.input<typeof preferencesSchema>> {
  const plan = await readPlan(tx);
  const { notification_emails: used } = await readUsage(tx);
  const allowed = PLAN_TABLE[plan].allowances.notification_emails;
  return { ...settings, emailAllowance: { used, allowed, resetsAt: usageResetsAt(new Date()).toISOString() } };
}

export const getPreferencesRoute = defineRoute({
  of: 'environment',
  id: 'notifications.preferences.get',
  method: 'GET',
  path: '/api/v2/notifications/preferences',
  summary: "Get the workspace's notification preferences",
  scope: 'notifications:read',
  role: 'member',
  response: { 200: preferencesSchema },
  read: async (tx) => presentPreferences(tx, await readSettings(tx)),
});

export const updatePreferencesRoute = defineRoute({
  of: 'environment',
  id: 'notifications.preferences.update',
  method: 'PATCH',
  path: '/api/v2/notifications/preferences',
  summary: "Change the workspace's notification preferences",
  description:
    'They hold for every environment of the workspace: who holds `notifications:manage` in one environment redirects the alerts of all. So ' +
    'a change is a notification in each environment, and is told by e-mail to the admins, to the recipients and to those who were removed, ' +
    'and to the alert webhook that was replaced.',
  scope: 'notifications:manage',
  role: 'admin',
  request: { body: preferencesBody },
  response: { 200: preferencesSchema },
  async change(tx, { body, caller, actor }) {
    const before = await lockSettings(tx);
    const { alertWebhookUrl = before.alertWebhookUrl, emailRecipients = before.emailRecipients } = body;
    const after = { alertWebhookUrl, emailRecipients };
    await putSettings(tx, after);
    await tellOfChange(
      tx,
      { before, after },
      {
        workspaceId: caller.workspaceId,
        by: `${CALLED[actor.type] ?? actor.type} ${actor.id}, in the environment ${caller.environment.name},`,
      },
    );
    return {
      reply: { status: 200, data: await presentPreferences(tx, after) },
      audit: {
        action: 'notification_preferences.updated',
        target: { type: 'workspace', id: caller.workspaceId },
        details: { before: audited(before), after: audited(after) },
      },
    };
  },
});

/** Names hosts and counts only: each recipient sees no address but its own. */
async function tellOfChange(
  tx: EnvironmentTransaction,
  { before, after }: Record<'before' | 'after', NotificationSettings>,
  { workspaceId, by }: { workspaceId: string; by: string },
): Promise<void> {
  const removed = before.emailRecipients.filter((each) => !after.emailRecipients.includes(each));
  const added = after.emailRecipients.filter((each) => !before.emailRecipients.includes(each));
  const isWebhookChanged = before.alertWebhookUrl !== after.alertWebhookUrl;
  if (!isWebhookChanged && removed.length + added.length === 0) return;
  await raiseInWorkspace(tx, 'notification_preferences.updated', {
    workspaceId,
    by,
    webhookBefore: shownHost(before.alertWebhookUrl),
    webhookAfter: shownHost(after.alertWebhookUrl),
    added: added.length,
    removed: removed.length,
    removedRecipients: removed,
    removedWebhookUrl: isWebhookChanged ? before.alertWebhookUrl : null,
  });
}

const CALLED: Readonly<Record<string, string>> = { api_key: 'The API key', user: 'The member' };

function shownHost(alertWebhookUrl: string | null): string {
  return alertWebhookUrl === null ? 'none' : `at ${auditedHost(alertWebhookUrl)}`;
}

export const getOwnPreferencesRoute = defineRoute({
  of: 'environment',
  id: 'notifications.preferences.getOwn',
  method: 'GET',
  path: '/api/v2/notifications/preferences/me',
  summary: 'Get what the member has muted',
  description: 'Needs a session: an API key has no user, and gets 403 `USER_IDENTITY_REQUIRED`.',
  scope: 'notifications:read',
  role: 'member',
  needsUser: true,
  response: { 200: ownPreferencesSchema },
  errors: ['USER_IDENTITY_REQUIRED'],
  read: async (tx, { caller }) => ({ mutedTypes: await readMutedTypes(tx, userOfCaller(caller)) }),
});

export const updateOwnPreferencesRoute = defineRoute({
  of: 'environment',
  id: 'notifications.preferences.updateOwn',
  method: 'PATCH',
  path: '/api/v2/notifications/preferences/me',
  summary: 'Change what the member has muted',
  description:
    "In every environment of the workspace. It mutes the member's own view only. An API key has no user, and gets 403 `USER_IDENTITY_REQUIRED`.",
  scope: 'notifications:write',
  role: 'member',
  needsUser: true,
  request: { body: ownPreferencesBody },
  response: { 200: ownPreferencesSchema },
  errors: ['USER_IDENTITY_REQUIRED'],
  async change(tx, { body, caller }) {
    const userId = userOfCaller(caller);
    const mutedTypes = NOTIFICATION_TYPES.filter((type) => body.mutedTypes.includes(type));
    await putMutedTypes(tx, userId, mutedTypes);
    return {
      reply: { status: 200, data: { mutedTypes } },
      audit: 'none: it changes what its reader sees, and nothing that anybody else does',
    };
  },
});

export const testWebhookRoute = defineRoute({
  of: 'environment',
  id: 'notifications.preferences.testWebhook',
  method: 'POST',
  path: '/api/v2/notifications/preferences/test-webhook',
  summary: 'Send a test alert to the webhook',
  description:
    'A signed message like every alert, of the type `test`. Its attempts: `GET /api/v2/messages/{messageId}`.',
  scope: 'notifications:manage',
  role: 'admin',
  response: { 201: z.strictObject({ messageId: z.string().regex(/^msg_/) }) },
  errors: ['CONFLICT'],
  async change(tx, { caller, actor, deps }) {
    const { alertWebhookUrl } = await readSettings(tx);
    if (alertWebhookUrl === null) {
      throw new ServiceError('CONFLICT', {
        message: 'The workspace has no alert webhook. Set alertWebhookUrl of the notification preferences first.',
      });
    }
    const alert = { type: 'test', title: 'A test alert', body: 'Somebody tries the alert webhook.', url: null };
    const messageId = await acceptAlert(tx, deps.vault, {
      tenant: caller.tenant,
      alertWebhookUrl,
      publishedBy: actor,
      alert: { ...alert, subject: { type: 'environment', id: caller.tenant.environmentId } },
    });
    return {
      reply: { status: 201, data: { messageId } },
      audit: {
        action: 'notification_preferences.webhook_tested',
        target: { type: 'workspace', id: caller.workspaceId },
        details: { messageId },
      },
    };
  },
});

function audited({ alertWebhookUrl, emailRecipients }: NotificationSettings): JsonObject {
  return { alertWebhookHost: alertWebhookUrl === null ? null : auditedHost(alertWebhookUrl), emailRecipients };
}
