import { ApplicationFailure } from '@temporalio/common';
import { getApproval } from '../../db/approvals/queries.ts';
import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { isPosted, recordPost } from '../../db/integrations/chat.ts';
import {
  type IntegrationWithCredential,
  openDiscord,
  openSlack,
  readCredential,
} from '../../db/integrations/integrations.ts';
import { getPreview } from '../../db/previews/queries.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import { approvalUrl } from '../../domain/console-links.ts';
import { chatTextOf } from '../../domain/integrations/approval-message.ts';
import type { ChatReply } from '../../domain/integrations/chat-client.ts';
import { discordMessage } from '../../domain/integrations/discord-message.ts';
import { slackMessage } from '../../domain/integrations/slack-message.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const POST_TIMEOUT_MS = 20_000;

export interface PostRef extends ApprovalRef {
  integrationId: string;
}

interface ToPost {
  approval: ApprovalRecord;
  preview: PreviewRecord | null;
  integration: IntegrationWithCredential;
}

type PostDependencies = Pick<ActivityDependencies, 'db' | 'vault' | 'chat' | 'pagesUrl' | 'logger'>;

/**
 * Posts a pending approval to one chat. What the chat refuses is recorded and not sent again. Everything else is thrown, and Temporal
 * tries again until the approval ends. A crash between the post and its record posts twice: both messages ask for one decision.
 */
export function postApproval(deps: PostDependencies) {
  return async (ref: PostRef): Promise<void> => {
    const found = await deps.db.withEnvironment(ref, (tx) => readPost(tx, ref), { readOnly: true });
    if (found === null) return;
    const { approvalId, integrationId } = ref;
    const reply = await send(deps, ref, found);
    if (reply.kind === 'again') {
      throw ApplicationFailure.create({
        message: reply.reason,
        type: 'ChatUnavailable',
        ...(reply.afterSeconds === null ? {} : { nextRetryDelay: reply.afterSeconds * 1_000 }),
      });
    }
    const error = reply.kind === 'refused' ? reply.reason : null;
    await deps.db.withEnvironment(ref, (tx) => recordPost(tx, { approvalId, integrationId, error }));
    if (error !== null)
      deps.logger.warn({ approvalId, integrationId, error }, 'a chat refused the post of an approval');
  };
}

/** Null where there is nothing to post: the approval has ended, the integration was turned off, or it is done. */
async function readPost(tx: EnvironmentTransaction, ref: PostRef): Promise<ToPost | null> {
  if (await isPosted(tx, ref)) return null;
  const approval = await getApproval(tx, ref.approvalId);
  const integration = await readCredential(tx, { id: ref.integrationId, provider: null });
  if (approval?.status !== 'pending' || integration === null) return null;
  if (!integration.isActive || integration.channel === null) return null;
  const preview = approval.previewId === null ? null : await getPreview(tx, approval.previewId);
  return { approval, preview, integration };
}

async function send(deps: PostDependencies, ref: PostRef, found: ToPost): Promise<ChatReply> {
  const { approval, preview, integration } = found;
  const url = approvalUrl(deps.pagesUrl, ref.environmentId, approval.id);
  const { id: approvalId, bindingDigest } = approval;
  const deciding = { approvalId, bindingDigest, url, takesClicks: integration.takesClicks };
  const text = chatTextOf({
    title: approval.title,
    summary: approval.summary,
    reason: approval.policy.reason,
    bindingDigest,
    expiresAt: approval.expiresAt,
    quorum: approval.quorum,
    environmentName: preview?.environment.name ?? null,
    blocks: preview?.blocks ?? [],
    request: preview?.request ?? null,
    payload: approval.payload,
  });
  const call = { workspaceId: ref.workspaceId, integrationId: integration.id, timeoutMs: POST_TIMEOUT_MS };
  if (integration.provider === 'discord') {
    const body = discordMessage(text, deciding) as unknown as JsonObject;
    return deps.chat.discord(call, openDiscord(deps.vault, ref, integration), body);
  }
  const { botToken } = openSlack(deps.vault, ref, integration);
  const body = { channel: integration.channel?.id ?? '', ...slackMessage(text, deciding) } as unknown as JsonObject;
  return deps.chat.slack(call, botToken, 'chat.postMessage', { ...body, unfurl_links: false, unfurl_media: false });
}
