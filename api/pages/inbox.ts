import { countPendingOfUser, type EnvironmentWithPending, listApprovals } from '../../db/approvals/queries.ts';
import { lookAtMember } from '../../db/approvals/decisions.ts';
import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { FoundSession } from '../../db/auth/directory.ts';
import { approvalPath, CONSOLE_PATH, environmentPath } from '../../domain/console-links.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { refusalOf } from '../approvals/decide.ts';
import { listApprovalsRoute } from '../approvals/read-approvals.ts';
import { type PageRequest, readAsMember, readAsUser, sessionOf } from '../html/page-request.ts';
import { exactText, SHORT_BYTES_MAX } from '../html/exact-text.ts';
import { sendPage } from '../html/layout.ts';
import { markup, type Markup } from '../html/markup.ts';
import { distanceOf, environmentText, reasonOnPage, section, timeOf } from '../html/parts.ts';

const PAGE_SIZE = 50;
/** Environments on a page of the inbox. Each costs a round trip. */
const ENVIRONMENTS_SHOWN_MAX = 20;
/** Approvals on a page of the inbox. An environment with more is linked. */
export const APPROVALS_SHOWN_MAX = 100;
/** Rendered bytes of a listed summary; its page has all of it. */
const SUMMARY_BYTES_MAX = 1_500;
const TITLE_BYTES_MAX = 1_000;

export interface Listed {
  approval: ApprovalRecord;
  /** Why it does not wait for this member. Null when it does. */
  reason: string | null;
}

interface Pending {
  items: Listed[];
  total: number;
  environmentName: string;
  session: FoundSession;
}

export async function showInbox(request: PageRequest): Promise<void> {
  const session = await sessionOf(request);
  const all = await readAsUser(request, session, countPendingOfUser);
  const page = pageOf(new URLSearchParams(request.ctx.querystring).get('page'));
  const environments = all.slice((page - 1) * ENVIRONMENTS_SHOWN_MAX, page * ENVIRONMENTS_SHOWN_MAX);
  const looked: LookedInto[] = [];
  for (const environment of environments) {
    const found = await pendingWithinLimit(request, environment.environmentId);
    if (found === 'not looked into') looked.push({ environment, own: null, total: environment.pending });
    else looked.push({ environment, own: found.items.filter(({ reason }) => reason === null), total: found.total });
  }
  const more = all.length > page * ENVIRONMENTS_SHOWN_MAX ? page + 1 : null;
  sendPage(request.ctx, { title: INBOX_TITLE, viewer: session, content: inboxContent(looked, { page, more }) });
}

const INBOX_TITLE = 'Approvals that wait for you';

export interface LookedInto {
  environment: EnvironmentWithPending;
  /** Null when the environment was not read. */
  own: readonly Listed[] | null;
  total: number;
}

/** Shows at most APPROVALS_SHOWN_MAX; the rest is linked by environment. */
export function inboxContent(
  looked: readonly LookedInto[],
  { page, more }: { page: number; more: number | null },
): Markup {
  let room = APPROVALS_SHOWN_MAX;
  const sections = looked.map(({ environment, own, total }) => {
    const shown = (own ?? []).slice(0, room);
    room -= shown.length;
    return environmentSection(environment, shown, { waiting: own?.length ?? 0, total });
  });
  const waiting = looked.reduce((sum, { own }) => sum + (own?.length ?? 0), 0);
  const unseen = looked.filter(({ own }) => own === null).length;
  return markup`<p role="status">${statusOf(waiting, unseen)}</p>
${sections}
${pagesOf(CONSOLE_PATH, { earlier: page > 1 && 'Environments before', page, later: more !== null && 'More environments' })}`;
}

function statusOf(waiting: number, unseen: number): string {
  const own = waiting === 1 ? '1 waits for you.' : `${waiting} wait for you.`;
  if (unseen === 0) return waiting === 0 ? 'Nothing waits for you.' : own;
  const rest = unseen === 1 ? 'One environment was not looked into.' : `${unseen} environments were not looked into.`;
  return waiting === 0 ? rest : `${own} ${rest}`;
}

export async function showEnvironment(request: PageRequest, environmentId: string): Promise<void> {
  const page = pageOf(new URLSearchParams(request.ctx.querystring).get('page'));
  const { items, total, environmentName, session } = await pending(request, environmentId, page);
  const content = markup`<p role="status">${total} pending.</p>
${listOf(environmentId, items)}
${pagesOf(environmentPath(environmentId), { earlier: page > 1 && 'Newer', page, later: page * PAGE_SIZE < total && 'Older' })}`;
  sendPage(request.ctx, { title: `Approvals in ${environmentName}`, viewer: session, content });
}

interface Pages {
  page: number;
  /** The link's words; false when there is no such page. */
  earlier: string | false;
  later: string | false;
}

function pagesOf(path: string, { page, earlier, later }: Pages): Markup | false {
  if (earlier === false && later === false) return false;
  const link = (to: number, words: string): Markup => markup`<a href="${`${path}?page=${to}`}">${words}</a> `;
  return markup`<nav aria-label="More pages"><p>${earlier !== false && link(page - 1, earlier)}${later !== false && link(page + 1, later)}</p></nav>`;
}

function pageOf(text: string | null): number {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/** Each environment counts as a request of the person. The page shows what was read before their minute was used up. */
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
    const member = existing(await lookAtMember(tx, caller.userId), 'environment');
    const part = { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
    const { items, total } = await listApprovals(tx, { status: 'pending', ...part });
    const listed = items.map((approval) => ({
      approval,
      reason: reasonOf(refusalOf(approval, member, 'approve')),
    }));
    return { items: listed, total, environmentName: caller.environment.name, session };
  });
}

const reasonOf = (refusal: ServiceError | null): string | null => refusal && reasonOnPage(refusal);

function environmentSection(
  { environmentId, environmentName, workspaceName, kind }: EnvironmentWithPending,
  shown: readonly Listed[],
  { waiting, total }: { waiting: number; total: number },
): Markup {
  const unseen = waiting - shown.length;
  const words =
    unseen > 0 ? `${unseen} more wait for you: all ${total} that are pending in` : `All ${total} that are pending in`;
  return section(
    `${environmentText({ name: environmentName, kind })} of ${workspaceName}`,
    markup`${shown.length > 0 && listOf(environmentId, shown)}
${total > shown.length && markup`<p><a href="${environmentPath(environmentId)}">${words} ${exactText(environmentName, SHORT_BYTES_MAX)}</a></p>`}`,
  );
}

function listOf(environmentId: string, items: readonly Listed[]): Markup {
  const now = new Date();
  const entries = items.map(
    ({
      approval,
      reason,
    }) => markup`<li><p><a href="${approvalPath(environmentId, approval.id)}">${exactText(approval.title, TITLE_BYTES_MAX)}</a></p>
<p>${exactText(approval.summary, SUMMARY_BYTES_MAX)}</p>
<p class="note">Asked ${timeOf(approval.createdAt)}, expires ${distanceOf(approval.expiresAt, now)}. ${
      reason === null ? markup`<strong>It waits for you.</strong>` : reason
    }</p></li>`,
  );
  return markup`<ul class="list">${entries}</ul>`;
}
