import { countPendingOfUser, type EnvironmentWithPending } from '../../db/approvals/count-pending-of-user.ts';
import { listApprovals } from '../../db/approvals/list-approvals.ts';
import { lookAtMember } from '../../db/approvals/read-principal.ts';
import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { FoundSession } from '../../db/auth/find-sign-in-session.ts';
import { approvalPath, environmentPath } from '../../domain/console-links.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { refusalOf } from '../approvals/decide.ts';
import { listApprovalsRoute } from '../approvals/read-approvals.ts';
import { type PageRequest, readAsMember, readAsUser, sessionOf } from '../http/call-route.ts';
import { exactText } from './exact-text.ts';
import { sendPage } from './layout.ts';
import { markup, type Markup } from './markup.ts';
import { distanceOf, section, timeOf } from './parts.ts';

const PAGE_SIZE = 50;
/** Environments that the inbox looks into. Each costs a round trip; what is left out is linked. */
const ENVIRONMENTS_SHOWN_MAX = 20;

interface Listed {
  approval: ApprovalRecord;
  /** Why it does not wait for this member; null: it does. */
  reason: string | null;
}

interface Pending {
  items: Listed[];
  total: number;
  environmentName: string;
  session: FoundSession;
}

/** What waits for the member, in every environment of their workspaces. */
export async function showInbox(request: PageRequest): Promise<void> {
  const session = await sessionOf(request);
  const environments = await readAsUser(request, session, countPendingOfUser);
  const sections: Markup[] = [];
  let waiting = 0;
  let unseen = 0;
  for (const [index, environment] of environments.entries()) {
    const found =
      index < ENVIRONMENTS_SHOWN_MAX ? await pendingWithinLimit(request, environment.environmentId) : 'not looked into';
    if (found === 'not looked into') {
      unseen += 1;
      sections.push(environmentSection(environment, [], environment.pending));
      continue;
    }
    const own = found.items.filter(({ reason }) => reason === null);
    waiting += own.length;
    sections.push(environmentSection(environment, own, found.total));
  }
  const content = markup`<p role="status">${statusOf(waiting, unseen)}</p>
${sections}`;
  sendPage(request.ctx, { title: 'Approvals that wait for you', viewer: session, content });
}

function statusOf(waiting: number, unseen: number): string {
  if (unseen === 0) return waiting === 0 ? 'Nothing waits for you.' : `${waiting} wait for you.`;
  const rest = unseen === 1 ? 'One environment was not looked into.' : `${unseen} environments were not looked into.`;
  return waiting === 0 ? rest : `${waiting} wait for you. ${rest}`;
}

/** All that is pending in one environment, page by page. */
export async function showEnvironment(request: PageRequest, environmentId: string): Promise<void> {
  const page = pageOf(new URLSearchParams(request.ctx.querystring).get('page'));
  const { items, total, environmentName, session } = await pending(request, environmentId, page);
  const path = environmentPath(environmentId);
  const content = markup`<p role="status">${total} pending.</p>
${listOf(environmentId, items)}
<nav aria-label="More pages"><p>${page > 1 && markup`<a href="${path}?page=${page - 1}">Newer</a> `}${
    page * PAGE_SIZE < total && markup`<a href="${path}?page=${page + 1}">Older</a>`
  }</p></nav>`;
  sendPage(request.ctx, { title: `Approvals in ${environmentName}`, viewer: session, content });
}

function pageOf(text: string | null): number {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/** One workspace that has used up its rate limit must not hide what waits in the user's others. */
async function pendingWithinLimit(request: PageRequest, environmentId: string): Promise<Pending | 'not looked into'> {
  try {
    return await pending(request, environmentId, 1);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'RATE_LIMIT_EXCEEDED') throw error;
    return 'not looked into';
  }
}

async function pending(request: PageRequest, environmentId: string, page: number): Promise<Pending> {
  const session = await sessionOf(request, environmentId);
  return readAsMember(request, listApprovalsRoute, session, async (tx, caller) => {
    const member = await lookAtMember(tx, caller.userId);
    if (member === null) throw notFound('environment');
    const part = { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
    const { items, total } = await listApprovals(tx, { status: 'pending', ...part });
    const listed = items.map((approval) => ({
      approval,
      reason: refusalOf(approval, member, 'approve')?.publicMessage ?? null,
    }));
    return { items: listed, total, environmentName: caller.environment.name, session };
  });
}

function environmentSection(environment: EnvironmentWithPending, own: readonly Listed[], total: number): Markup {
  const { environmentId, environmentName, workspaceName, kind } = environment;
  const others = total - own.length;
  return section(
    `${environmentName} (${kind}) of ${workspaceName}`,
    markup`${own.length > 0 && listOf(environmentId, own)}
${others > 0 && markup`<p><a href="${environmentPath(environmentId)}">All ${total} that are pending in ${environmentName}</a></p>`}`,
  );
}

function listOf(environmentId: string, items: readonly Listed[]): Markup {
  const now = new Date();
  const entries = items.map(
    ({
      approval,
      reason,
    }) => markup`<li><p><a href="${approvalPath(environmentId, approval.id)}">${exactText(approval.title)}</a></p>
<p>${exactText(approval.summary)}</p>
<p class="note">Asked ${timeOf(approval.createdAt)}, expires ${distanceOf(approval.expiresAt, now)}. ${
      reason === null ? markup`<strong>It waits for you.</strong>` : reason
    }</p></li>`,
  );
  return markup`<ul class="list">${entries}</ul>`;
}
