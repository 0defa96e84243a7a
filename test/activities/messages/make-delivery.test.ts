import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeDelivery } from '../../../activities/messages/make-delivery.ts';
import type { MessageWork } from '../../../db/messages/message-work.ts';
import { Vault } from '../../../db/secrets/vault.ts';

const tenant = { workspaceId: 'workspace', environmentId: 'environment' };
const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
const work: Omit<MessageWork, 'scheduleId' | 'urlGroupId'> = {
  id: 'msg_1',
  kind: 'message',
  url: 'https://example.com/hook',
  method: 'POST',
  content: { headers: null, body: null, bodyKind: 'none', bodySealed: false, sealed: null },
  redact: null,
  label: null,
  flowControlKeyId: null,
  subscriptionId: null,
  attempt: 1,
  lostAttempts: 0,
  maxRetries: 0,
  retryDelaysMs: null,
  timeoutSeconds: 30,
  callbackUrl: null,
  failureCallbackUrl: null,
  publishedBy: { type: 'api_key', id: null },
  createdAt: new Date(),
};

test.each([
  [null, null],
  ['sch_1', null],
  [null, 'grp_1'],
  ['sch_1', 'grp_1'],
])('names the schedule %s and the URL group %s that asked for the delivery', (scheduleId, urlGroupId) => {
  const { headers } = makeDelivery(vault, tenant, { ...work, scheduleId, urlGroupId }, [], 1).request;
  expect([headers['X-Service-Schedule-Id'] ?? null, headers['X-Service-Url-Group'] ?? null]).toEqual([
    scheduleId,
    urlGroupId,
  ]);
});
