import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { insertMessages, type NewMessage } from '../messages/insert-messages.ts';
import { messageAssociatedData, sealContent } from '../messages/message-content.ts';
import { ownMessage } from '../messages/own-message.ts';
import type { Vault } from '../secrets/vault.ts';
import { ensureSigningKey } from '../signing-keys/ensure-signing-key.ts';

/** The body of an alert: docs/notifications.md, "The alert webhook". */
export interface Alert {
  type: string;
  title: string;
  body: string;
  subject: { type: string; id: string };
  url: string | null;
}

/**
 * Accepts the message to the alert webhook, and returns its id. It is not a caller's message: no budget and no allowance is charged, and
 * a halt does not hold it, so that the alert of a halt arrives.
 */
export async function acceptAlert(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal' | 'digests'>,
  {
    tenant,
    alertWebhookUrl: url,
    publishedBy,
    alert,
  }: { tenant: Tenant; alertWebhookUrl: string; publishedBy: NewMessage['publishedBy']; alert: Alert },
): Promise<string> {
  await ensureSigningKey(tx, vault, tenant.workspaceId);
  const id = newId('message');
  const text = JSON.stringify({ ...alert, environmentId: tenant.environmentId });
  const content = { headers: null, body: { kind: 'json', text } as const };
  const sealed = sealContent(vault, messageAssociatedData(tenant, id), content, null);
  const message = { id, kind: 'alert', url, content: sealed, redact: null, callbackOf: null, publishedBy } as const;
  await insertMessages(tx, [ownMessage(message)]);
  return id;
}
