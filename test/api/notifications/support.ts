import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { notificationSchema } from '../../../api/notifications/schemas.ts';
import { raiseNotification } from '../../../db/notifications/alerts.ts';
import type { Tenant } from '../../../db/client.ts';
import type { NotificationDraft } from '../../../domain/notifications/notifications.ts';
import { dataOf } from '../invocations/support.ts';
import type { CallResult, TestApi } from '../harness/test-api.ts';

export const notificationsIn = (reply: CallResult): z.infer<typeof notificationSchema>[] =>
  dataOf(reply, z.array(notificationSchema));

/** Raises one as the service does; returns its id, or null where one was counted on. */
export function raise(
  { database }: Pick<TestApi, 'database'>,
  overrides: Partial<NotificationDraft> = {},
  tenant: Tenant = database.tenant,
): Promise<string | null> {
  const draft: NotificationDraft = {
    type: 'message.failed',
    title: 'Messages failed for good',
    body: 'See the dead letters.',
    subject: { type: 'message', id: 'msg_1' },
    coalesceKey: randomUUID(),
    ...overrides,
  };
  return database.db.withEnvironment(tenant, (tx) => raiseNotification(tx, tenant.environmentId, draft));
}
