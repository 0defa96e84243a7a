import { createHash } from 'node:crypto';
import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { getEnvironment } from '../../db/environments/environments.ts';
import { type ClickAnswer, findChatLink, findClick, putLinkCode, recordClick } from '../../db/integrations/chat.ts';
import { findIntegration } from '../../db/integrations/directory.ts';
import { type IntegrationWithCredential, openSlack, readCredential } from '../../db/integrations/integrations.ts';
import { getApproval } from '../../db/approvals/queries.ts';
import { standingApprovals } from '../../db/approvals/records.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { isRecent, isSignedByDiscord, isSignedBySlack, type SignedRequest } from '../../domain/integrations/clicks.ts';
import { type ChatAuthentication, type ChatProvider, PROVIDER_NAMES } from '../../domain/integrations/integrations.ts';
import { slackOutcome, slackWhisper } from '../../domain/integrations/slack-message.ts';
import type { JsonObject } from '../../domain/json.ts';
import { auditOfDecision } from '../approvals/decide-approval.ts';
import { decide } from '../approvals/decide.ts';
import { tellWorkflow } from '../approvals/tell-workflow.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { describeFailure } from '../../domain/failures.ts';
import { untilItCommits } from '../http/route-transaction.ts';
import type { Click } from './clicks.ts';
import { hashOfCode, newLinkCode } from './link-code.ts';

export interface Sender {
  tenant: Tenant;
  integration: IntegrationWithCredential;
}

/** A chat waits three seconds in all. The decision is recorded before these begin. */
const ANSWER_TIMEOUT_MS = 1_500;
const TELL_TIMEOUT_MS = 1_000;

/** Returns null when the integration does not exist, or the headers cannot be those of a signed request. */
export async function findSender(
  deps: ApiDependencies,
  asked: { provider: ChatProvider; integrationId: string; signed: Omit<SignedRequest, 'body'> },
): Promise<Sender | null> {
  const { provider, integrationId, signed } = asked;
  if (!isRecent(signed) || signed.signature === '') return null;
  const tenant = await findIntegration(deps.db, integrationId);
  if (tenant === null) return null;
  const integration = await deps.db.withEnvironment(
    tenant,
    (tx) => readCredential(tx, { id: integrationId, provider }),
    { readOnly: true },
  );
  return integration === null ? null : { tenant, integration };
}

export function isSigned(deps: ApiDependencies, { tenant, integration }: Sender, signed: SignedRequest): boolean {
  if (integration.provider === 'discord') {
    return integration.publicKey !== null && isSignedByDiscord(integration.publicKey, signed);
  }
  const { signingSecret } = openSlack(deps.resealing, tenant, integration);
  return signingSecret !== null && isSignedBySlack(signingSecret, signed);
}

interface Request {
  body: Buffer;
  requestId: string;
}

/**
 * Records a click as a decision of the linked member, with the code of an API decision and their current role. A repeated request gets the
 * same answer and decides nothing.
 */
export async function takeClick(
  deps: ApiDependencies,
  sender: Sender,
  click: Click,
  { body, requestId }: Request,
): Promise<Taken> {
  const { tenant, integration } = sender;
  const requestHash = createHash('sha256').update(body).digest();
  const inEnvironment = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
    untilItCommits(() => deps.db.withEnvironment(tenant, work));
  const taken = { integrationId: integration.id, requestHash };
  try {
    return await inEnvironment((tx) => decideByClick(tx, deps, sender, click, { ...taken, requestId }));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const refused: ClickAnswer = { text: error.publicMessage, ends: false };
    return inEnvironment(async (tx) => {
      const isNew = await recordClick(tx, integration.id, requestHash, refused);
      const answer = isNew ? null : await findClick(tx, integration.id, requestHash);
      return { answer: answer ?? refused };
    });
  }
}

export interface Taken {
  answer: ClickAnswer;
  /** Notifies the waiting workflow; set when a decision was made. */
  tell?: () => Promise<void>;
}

async function decideByClick(
  tx: EnvironmentTransaction,
  deps: ApiDependencies,
  { integration, tenant }: Sender,
  click: Click,
  { integrationId, requestHash, requestId }: { integrationId: string; requestHash: Buffer; requestId: string },
): Promise<Taken> {
  const before = await findClick(tx, integrationId, requestHash);
  if (before !== null) return { answer: before };
  // Locked: a change of the integration waits for this decision or is visible to it.
  const now = await readCredential(tx, { id: integrationId, provider: integration.provider }, 'FOR SHARE');
  if (now?.isActive !== true || !now.sealed.sealedValue.equals(integration.sealed.sealedValue)) {
    throw new ServiceError('CONFLICT', { message: 'This integration is off: nothing is decided here. Use the page.' });
  }
  const { approvalId, decision, bindingDigest } = click;
  if ((await getApproval(tx, approvalId)) === null) throw ofAnotherEnvironment(integration.provider);
  const link = await findChatLink(tx, integrationId, click.user.id);
  if (link === null) return { answer: await offerLink(tx, tenant, integrationId, click, requestHash) };
  const { provider } = integration;
  const chat: ChatAuthentication = { provider, integrationId, userId: click.user.id, userName: click.user.name };
  const actor = { type: 'user', id: link.userId } as const;
  const who = `In ${PROVIDER_NAMES[provider]}, by ${click.user.name} (${click.user.id})`;
  const caller = { type: 'chat', chat } as const;
  const approval = await decide(tx, { approvalId, decision, bindingDigest, note: who, caller, actor });
  const { status, title, quorum } = approval;
  const received = standingApprovals(approval).length;
  const word = decision === 'approve' ? 'approved' : 'denied';
  const answer: ClickAnswer =
    status === 'pending'
      ? { text: `You have ${word} it: ${received} of ${quorum}. It waits for others.`, ends: false }
      : { text: `${title}\n${status}. ${who}.`, ends: true };
  await recordClick(tx, integrationId, requestHash, answer);
  const environment = existing(await getEnvironment(tx, tenant.environmentId), 'environment');
  const waiting = { approvalId, invocationId: approval.invocationId };
  const tell = await tellWorkflow(tx, deps, { tenant, environment }, waiting);
  const { action, target, details } = auditOfDecision(decision, approval);
  await recordAudit(tx, {
    workspaceId: tenant.workspaceId,
    actor,
    authentication: { method: 'chat', at: null },
    action,
    target,
    details: { ...details, chat: { ...chat } },
    requestId,
  });
  return { answer, tell };
}

/** An app has one address for clicks, so clicks on another environment's messages arrive here too. */
function ofAnotherEnvironment(provider: ChatProvider): ServiceError {
  const address = provider === 'slack' ? 'Request URL' : 'Interactions Endpoint URL';
  const message = `Nothing was decided: this approval is not in the environment that the ${address} of this app names. Decide it on the page.`;
  return new ServiceError('NOT_FOUND', { message });
}

/** Only the user who clicked sees the code. Its hash alone is stored, so a repeated request cannot show it again. */
async function offerLink(
  tx: EnvironmentTransaction,
  { workspaceId, environmentId }: Tenant,
  integrationId: string,
  { user }: Click,
  requestHash: Buffer,
): Promise<ClickAnswer> {
  const code = newLinkCode();
  await putLinkCode(tx, integrationId, user, hashOfCode(code));
  const again = 'Nothing was decided: nobody knows yet which member you are. Click again for a code.';
  await recordClick(tx, integrationId, requestHash, { text: again, ends: false });
  const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}/chat-links`;
  const text =
    'Nothing was decided: nobody knows yet which member you are. Sign in as yourself within ten minutes and send ' +
    `POST ${path} with {"code":"${code}"}, then click again. The code is for you alone.`;
  return { text, ends: false };
}

/** The decision is committed. A failure or time-out here only delays: the sweep wakes workflows that missed it. */
export async function tellDecided(deps: ApiDependencies, { integration }: Sender, { tell }: Taken): Promise<void> {
  if (tell === undefined) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const longEnough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, TELL_TIMEOUT_MS);
  });
  const told = tell().catch((error: unknown) => {
    const context = { integrationId: integration.id, failure: describeFailure(error) };
    deps.logger.warn(context, 'what follows a committed decision failed: it is found and done later');
  });
  await Promise.race([told, longEnough]);
  clearTimeout(timer);
}

/** Best effort: after a failure the buttons can be clicked again, and show the approval's state. */
export async function answerSlack(
  deps: ApiDependencies,
  sender: Sender,
  click: Click,
  answer: ClickAnswer,
): Promise<void> {
  if (click.responseUrl === null || !URL.canParse(click.responseUrl)) return;
  const { tenant, integration } = sender;
  const call = { workspaceId: tenant.workspaceId, integrationId: integration.id, timeoutMs: ANSWER_TIMEOUT_MS };
  const body = (answer.ends ? slackOutcome(answer.text) : slackWhisper(answer.text)) as unknown as JsonObject;
  const reply = await deps.chat.respond(call, click.responseUrl, body);
  if (reply.kind !== 'done') {
    deps.logger.warn(
      { integrationId: integration.id, reason: reply.reason },
      'Slack did not take the answer to a click',
    );
  }
}
