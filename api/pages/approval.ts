import {
  type DecidedLately,
  getApproval,
  type NamesBeside,
  type OutcomeAfter,
  readDecidedLately,
  readNamesBeside,
  readOutcome,
} from '../../db/approvals/queries.ts';
import { lookAtMember } from '../../db/approvals/decisions.ts';
import type { FoundSession } from '../../db/auth/directory.ts';
import type { CallerEnvironment } from '../../db/environments/callers.ts';
import { approvalPath } from '../../domain/console-links.ts';
import { existing, notFound, ServiceError } from '../../domain/errors.ts';
import { askedFrom } from '../../domain/passkeys/authentication.ts';
import { visibleJson } from '../../domain/unseen-characters.ts';
import { refusalOf } from '../approvals/decide.ts';
import { approveRoute, denyRoute } from '../approvals/decide-approval.ts';
import { getApprovalRoute } from '../approvals/read-approvals.ts';
import { placeOf, presentApproval, type ShownApproval } from '../approvals/schemas.ts';
import { showApproval } from '../approvals/show-approvals.ts';
import { callFromPage, type PageRequest, readAsMember, sessionOf } from '../html/page-request.ts';
import { approvalContent } from './approval-content.ts';
import { isOpen, isUnderWay } from './approval-outcome.ts';
import { messageOf } from './error-pages.ts';
import { alertOf, csrfField, passkeyFields, redirectTo, sendPage } from '../html/layout.ts';
import { markup, type Markup } from '../html/markup.ts';
import { reasonOnPage } from '../html/parts.ts';
import { readForm } from '../html/read-form.ts';
import { refusalWithoutPasskey } from '../http/second-factor.ts';
import { confirmOnPage, SHOWN_ON_PAGE } from '../passkeys/confirm-on-page.ts';

interface Place {
  environmentId: string;
  approvalId: string;
}

/** What the environment asks of this member's passkey. */
interface Passkey {
  /** From then on a decision takes the passkey, in milliseconds since 1970. Null when it takes none. */
  asksFrom: number | null;
  /** Why the member can decide nothing: they have no passkey. */
  refusal: ServiceError | null;
}

interface ForMember {
  shown: ShownApproval;
  names: NamesBeside;
  outcome: OutcomeAfter | null;
  lately: DecidedLately | null;
  environment: CallerEnvironment;
  /** Why this member cannot decide so. Null when they can. */
  refusals: { approve: ServiceError | null; deny: ServiceError | null };
}

export async function showApprovalPage(request: PageRequest, place: Place): Promise<void> {
  const session = await sessionOf(request, place.environmentId);
  await send(request, place, session, null);
}

/** Decides by the API's routes and shows their refusal on the current page. */
export async function decideOnPage(request: PageRequest, place: Place): Promise<void> {
  const { environmentId, approvalId } = place;
  const fields = await readForm(request.ctx);
  const note = fields.get('note')?.trim() ?? '';
  const [bindingDigest, decision] = [fields.get('bindingDigest') ?? '', fields.get('decision')];
  await sessionOf(request, environmentId);
  const of = { environmentId, params: { id: approvalId } };
  try {
    await confirmOnPage(request, fields);
    if (decision === 'approve') {
      await callFromPage(request, approveRoute, { ...of, body: { bindingDigest, ...(note === '' ? {} : { note }) } });
    } else if (decision === 'deny') {
      if (note === '') throw unusable('Say in the note why you deny it. Nothing was decided yet.');
      await callFromPage(request, denyRoute, { ...of, body: { note } });
    } else throw unusable('Choose to approve or to deny. Nothing was decided yet.');
  } catch (error) {
    if (!(error instanceof ServiceError) || !SHOWN_ON_PAGE.has(error.code)) throw error;
    return send(request, place, await sessionOf(request, environmentId), { error, note });
  }
  redirectTo(request.ctx, approvalPath(environmentId, approvalId));
}

function unusable(message: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', { message });
}

async function send(
  request: PageRequest,
  { environmentId, approvalId }: Place,
  session: FoundSession,
  failed: { error: ServiceError; note: string } | null,
): Promise<void> {
  const { ctx } = request;
  const found = await readAsMember(request, getApprovalRoute, session, async (tx, caller): Promise<ForMember> => {
    const approval = await getApproval(tx, approvalId);
    const member = await lookAtMember(tx, caller.userId);
    if (approval === null || member === null) throw notFound('approval');
    return {
      shown: await showApproval(tx, approval),
      names: await readNamesBeside(tx, approval),
      outcome: approval.invocationId === null ? null : await readOutcome(tx, approval.invocationId),
      lately: await readDecidedLately(tx, approval),
      environment: caller.environment,
      refusals: { approve: refusalOf(approval, member, 'approve'), deny: refusalOf(approval, member, 'deny') },
    };
  });
  const { approval } = found.shown;
  const passkey = passkeyOf(session);
  const view = { ...found, environment: { ...found.environment, id: environmentId }, now: new Date() };
  const decision = markup`${failed !== null && alertOf(messageOf(ctx, failed.error))}
${ownDecision(approval.decisions, session.userId)}
${isOpen(view) && decisionForm(found, session, failed?.note ?? '', passkey)}`;
  const content = approvalContent(view, decision);
  const asksForPasskey = passkey.asksFrom !== null && isOpen(view);
  const page = { title: approval.title, viewer: session, content, width: 'wide', asksForPasskey } as const;
  sendPage(ctx, page, failed?.error.status ?? 200);
  if (failed === null && isUnderWay(view)) ctx.set('Refresh', String(RELOAD_SECONDS));
}

/** Reload interval while the invocation is under way. Nobody types on the page then. */
const RELOAD_SECONDS = 3;

/** The whole approval as in the API. Unseen characters are escaped. */
export async function sendApprovalContent(request: PageRequest, { environmentId, approvalId }: Place): Promise<void> {
  const { ctx, runner } = request;
  const session = await sessionOf(request, environmentId);
  const record = await readAsMember(request, getApprovalRoute, session, async (tx, caller) => {
    const approval = existing(await getApproval(tx, approvalId), 'approval');
    return presentApproval(await showApproval(tx, approval), placeOf(runner.deps, caller));
  });
  ctx.set('Content-Disposition', `attachment; filename="${record.id}.json"`);
  ctx.type = 'application/json';
  ctx.body = visibleJson(record);
}

/** Shown after the redirect and on later visits. An agreement by an app of theirs is void once the app is disconnected. */
function ownDecision(decisions: ShownApproval['approval']['decisions'], userId: string): Markup | false {
  const own = decisions.find(
    ({ principal, decision, stands }) =>
      principal.type === 'user' && principal.id === userId && (stands || decision === 'deny'),
  );
  if (own === undefined) return false;
  return markup`<p class="done" role="status">You have ${own.decision === 'approve' ? 'approved' : 'denied'} this. Decisions are final.</p>`;
}

function passkeyOf({ environment, requiresSecondFactor, authentication }: FoundSession): Passkey {
  if (environment === null) return { asksFrom: null, refusal: null };
  const asked = { ...environment, requireSecondFactor: requiresSecondFactor };
  if (!authentication.hasPasskey) return { asksFrom: null, refusal: refusalWithoutPasskey(asked, authentication) };
  const asks = environment.protected || requiresSecondFactor;
  return { asksFrom: asks ? askedFrom(authentication) : null, refusal: null };
}

/** Length up to which a refused note is shown again, to be shortened. */
const NOTE_SHOWN_MAX = 8_000;

export function decisionForm(
  { shown, refusals }: Pick<ForMember, 'shown' | 'refusals'>,
  { csrfToken }: Pick<FoundSession, 'csrfToken'>,
  note: string,
  { asksFrom, refusal }: Passkey = { asksFrom: null, refusal: null },
): Markup | false {
  const [approve, deny] = [refusals.approve ?? refusal, refusals.deny ?? refusal];
  const hasDecided = approve?.code === 'CONFLICT' && deny?.code === 'CONFLICT';
  if (hasDecided) return false;
  if (approve !== null && deny !== null) return markup`<p class="note">${reasonOnPage(approve)}</p>`;
  return markup`${approve !== null && markup`<p class="note">${reasonOnPage(approve)}</p>`}
<form method="post" class="decision"${asksFrom !== null && markup` data-passkey="${String(asksFrom)}"`}>
${csrfField(csrfToken)}
<input type="hidden" name="bindingDigest" value="${shown.approval.bindingDigest}">
<label for="note">Note <span class="quiet">(needed to deny; kept for good)</span></label>
<textarea id="note" name="note" rows="2" maxlength="2000">
${note.slice(0, NOTE_SHOWN_MAX)}</textarea>
<div class="buttons">
${approve === null && markup`<button class="approve" name="decision" value="approve">Approve</button>`}
${deny === null && markup`<button class="deny" name="decision" value="deny">Deny</button>`}
</div>
${asksFrom !== null && passkeyFields()}
</form>`;
}
