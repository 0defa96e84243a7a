import { getApproval } from '../../db/approvals/get-approval.ts';
import { lookAtMember } from '../../db/approvals/read-principal.ts';
import type { FoundSession } from '../../db/auth/find-sign-in-session.ts';
import { approvalPath, environmentPath } from '../../domain/console-links.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { refusalOf } from '../approvals/decide.ts';
import { approveRoute, denyRoute } from '../approvals/decide-approval.ts';
import { getApprovalRoute } from '../approvals/read-approvals.ts';
import type { ShownApproval } from '../approvals/schemas.ts';
import { showApproval } from '../approvals/show-approvals.ts';
import { callRoute, type PageRequest, readAsMember, sessionOf } from '../http/call-route.ts';
import { approvalContent } from './approval-content.ts';
import { messageOf } from './error-pages.ts';
import { alertOf, csrfField, redirectTo, sendPage } from './layout.ts';
import { markup, type Markup } from './markup.ts';
import { readForm } from './read-form.ts';

interface Place {
  environmentId: string;
  approvalId: string;
}

interface ForMember {
  shown: ShownApproval;
  environmentName: string;
  /** Why this member cannot decide so; null: they can. */
  refusals: { approve: ServiceError | null; deny: ServiceError | null };
}

export async function showApprovalPage(request: PageRequest, place: Place): Promise<void> {
  const session = await sessionOf(request, place.environmentId);
  await send(request, place, session, null);
}

/** POST of the page. It decides by the routes of the API; what they refuse is said on the page as it is now. */
export async function decideOnPage(request: PageRequest, place: Place): Promise<void> {
  const { environmentId, approvalId } = place;
  const fields = await readForm(request.ctx);
  const note = fields.get('note')?.trim() ?? '';
  const [bindingDigest, decision] = [fields.get('bindingDigest') ?? '', fields.get('decision')];
  const session = await sessionOf(request, environmentId);
  const of = { environmentId, params: { id: approvalId } };
  try {
    if (decision === 'approve') {
      await callRoute(request, approveRoute, { ...of, body: { bindingDigest, ...(note === '' ? {} : { note }) } });
    } else if (decision === 'deny') {
      if (note === '') throw unusable('Say in the note why you deny it. Nothing was decided yet.');
      await callRoute(request, denyRoute, { ...of, body: { note } });
    } else throw unusable('Choose to approve or to deny. Nothing was decided yet.');
  } catch (error) {
    if (!(error instanceof ServiceError) || !SHOWN_ON_PAGE.has(error.code)) throw error;
    return send(request, place, session, { error, note });
  }
  redirectTo(request.ctx, approvalPath(environmentId, approvalId));
}

const SHOWN_ON_PAGE = new Set(['CONFLICT', 'AUTHORIZATION_ERROR', 'VALIDATION_ERROR']);

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
      environmentName: caller.environment.name,
      refusals: { approve: refusalOf(approval, member, 'approve'), deny: refusalOf(approval, member, 'deny') },
    };
  });
  const { approval } = found.shown;
  const content = markup`<p><a href="${environmentPath(environmentId)}">Approvals in ${found.environmentName}</a></p>
${failed !== null && alertOf(messageOf(ctx, failed.error))}
${ownDecision(approval.decisions, session.userId)}
${approvalContent(found.shown, new Date())}
<section><h2>Your decision</h2>
${decisionForm(found, session, failed?.note ?? '')}</section>`;
  sendPage(ctx, { title: approval.title, viewer: session, content }, failed?.error.status ?? 200);
}

/**
 * Shown after the redirect, and whenever the member comes back. An agreement by an app of theirs no longer stands once the app was
 * disconnected.
 */
function ownDecision(decisions: ShownApproval['approval']['decisions'], userId: string): Markup | false {
  const own = decisions.find(
    ({ principal, decision, stands }) =>
      principal.type === 'user' && principal.id === userId && (stands || decision === 'deny'),
  );
  if (own === undefined) return false;
  return markup`<p class="done" role="status">You have ${own.decision === 'approve' ? 'approved' : 'denied'} this. Decisions are final.</p>`;
}

function decisionForm({ shown, refusals }: ForMember, { csrfToken }: FoundSession, note: string): Markup {
  const { approve, deny } = refusals;
  if (approve !== null && deny !== null) return markup`<p>${approve.publicMessage}</p>`;
  return markup`<form method="post">
${csrfField(csrfToken)}
<input type="hidden" name="bindingDigest" value="${shown.approval.bindingDigest}">
<label for="note">Note</label>
<p class="note" id="note-hint">Kept for good with your decision. To deny, say why.</p>
<textarea id="note" name="note" rows="3" maxlength="2000" aria-describedby="note-hint">
${note}</textarea>
${approve !== null && markup`<p>${approve.publicMessage}</p>`}
<div class="buttons">
${approve === null && markup`<button class="approve" name="decision" value="approve">Approve</button>`}
${deny === null && markup`<button class="deny" name="decision" value="deny">Deny</button>`}
</div>
</form>`;
}
