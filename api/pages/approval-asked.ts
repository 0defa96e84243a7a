import { type DecidedLately, LATELY_DAYS, type NamesBeside } from '../../db/approvals/queries.ts';
import type { ApprovalRecord, DecisionRecord } from '../../db/approvals/records.ts';
import type { Allowance } from '../../db/impact-limits/allowances.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import type { AdapterCapabilities } from '../../domain/actions.ts';
import type { Approvers } from '../../domain/approval-policies/verdict.ts';
import { countText, moneyText } from '../../domain/money.ts';
import { exactBlock, exactText, SHORT_BYTES_MAX } from '../html/exact-text.ts';
import { markup, type Markup, type MarkupValue } from '../html/markup.ts';
import { facts, inConsole, named, section, timeOf } from '../html/parts.ts';

/** The right side of an approval's page: who asks, why a person is asked, what it uses, what is promised, who has decided. */
export interface Asked {
  approval: ApprovalRecord;
  preview: PreviewRecord | null;
  allowances: readonly Allowance[];
  names: NamesBeside;
  /** Null for a free-standing approval. */
  lately: DecidedLately | null;
  environmentId: string;
}

const NOTE_BYTES_MAX = 6_000;
const REASON_BYTES_MAX = 6_000;
/** Insufficient limits come first. */
const LIMITS_SHOWN_MAX = 5;

export function askedOf({ approval, preview, allowances, names, lately, environmentId }: Asked): Markup {
  return markup`${section('Who asks', requesterOf(approval, names, environmentId))}
${section('Why a person is asked', markup`${whyOf(approval, names)}${lately !== null && latelyOf(lately)}`)}
${allowances.length > 0 && section('What it uses', limitsOf(allowances))}
${preview !== null && section('What is promised', promisesOf(preview.capabilities))}
${approval.decisions.length > 0 && section('Who has decided', decisionsOf(approval.decisions, names))}`;
}

function requesterOf(
  { requestedBy, agentId, runId, createdAt }: ApprovalRecord,
  names: NamesBeside,
  environmentId: string,
): Markup {
  const { id, maker, clientId } = requestedBy;
  const isKey = requestedBy.type === 'api_key';
  const person = isKey ? maker : id;
  return facts([
    ['Agent', agentId !== null && exactText(agentId, SHORT_BYTES_MAX)],
    ['API key', isKey && named(id === null ? null : (names.keys[id] ?? null), id)],
    ['App', typeof clientId === 'string' && named(names.apps[clientId] ?? null, clientId)],
    [isKey ? 'Made by' : 'Person', person !== null && personOf(person, names)],
    ['Run', runId !== null && inConsole(environmentId, '/runs', runId)],
    ['Asked', timeOf(createdAt)],
  ]);
}

/** An id alone belongs to somebody who has left. */
function personOf(id: string, { users }: NamesBeside, email: string | null = null): Markup {
  const user = users[id];
  if (user === undefined) return named(email, id);
  return markup`${exactText(user.name, SHORT_BYTES_MAX)} <span class="quiet">${exactText(user.email, SHORT_BYTES_MAX)}</span>`;
}

function whyOf(approval: ApprovalRecord, names: NamesBeside): Markup {
  const { policy, approversOfAll, preventSelf } = approval;
  const reason = policy.source === 'caller' ? 'Whoever asks wants a decision before they do this work.' : policy.reason;
  return markup`<p>${exactText(reason, REASON_BYTES_MAX)}</p>
${facts([
  // The sentence above has its name.
  ['Policy', policy.id !== null && markup`${named(null, policy.id)} version ${policy.version}`],
  ['Approvers', markup`${approversOfAll.map((each) => markup`<span>${approversText(each, names)}</span> `)}`],
  ['Who asks', !preventSelf && 'may approve it too'],
])}`;
}

/** What a decision usually is: somebody who denies one in three reads more closely than who never does. */
function latelyOf({ asked, approved, denied }: DecidedLately): Markup {
  if (asked === 0)
    return markup`<p class="quiet">Nobody else asked for this action in the last ${LATELY_DAYS} days.</p>`;
  const decided = approved + denied;
  const share = decided === 0 ? '' : ` (${Math.round((denied / decided) * 100)} % denied)`;
  const times = asked === 1 ? 'once' : `${countText(asked)} times`;
  return markup`<p class="quiet">In the last ${LATELY_DAYS} days it was asked for ${times} more: ${countText(approved)} approved, ${countText(denied)} denied${share}.</p>`;
}

function approversText({ roles, users, keys }: Approvers, names: NamesBeside): Markup | string {
  if (roles === undefined && users === undefined && keys === undefined) {
    return 'Any admin or owner, or an API key that may decide.';
  }
  const each: MarkupValue[] = [
    ...(roles ?? []).map((role) => `members with the role ${role}`),
    ...(users ?? []).map((user) =>
      names.users[user] === undefined ? exactText(user, SHORT_BYTES_MAX) : personOf(user, names),
    ),
    ...(keys ?? []).map((key) => markup`the API key ${named(names.keys[key] ?? null, key)}`),
  ];
  if (each.length === 0) return 'Nobody.';
  return markup`${each.map((one, index) => markup`${index > 0 && ', '}${one}`)}.`;
}

function limitsOf(allowances: readonly Allowance[]): Markup {
  const ordered = [...allowances].sort((left, right) => Number(left.sufficient) - Number(right.sufficient));
  const hidden = ordered.length - LIMITS_SHOWN_MAX;
  return markup`<ul class="limits">${ordered.slice(0, LIMITS_SHOWN_MAX).map(limitOf)}</ul>
${hidden > 0 && markup`<p class="note">${hidden} more ${hidden === 1 ? 'limit has' : 'limits have'} enough left, or stand behind these.</p>`}`;
}

const WIDTH = 100;

/** One bar of the used and the requested part. The words say the same. */
function limitOf({ name, cap, available, requested, currency, dimension, period, sufficient }: Allowance): Markup {
  const text = (amount: number): string =>
    currency === null ? `${countText(amount)} ${dimension.replaceAll('_', ' ')}` : moneyText(amount, currency);
  const used = Math.max(0, cap - available);
  const share = (amount: number): number => (cap === 0 ? WIDTH : Math.min(WIDTH, (amount / cap) * WIDTH));
  const [before, after] = [share(used), Math.min(WIDTH - share(used), share(requested))];
  const end = period === 'per_effect' || period === 'lifetime' ? '' : ` in ${period}`;
  return markup`<li><p><strong>${exactText(name, SHORT_BYTES_MAX)}</strong>: ${text(requested)} of ${text(cap)}${end}</p>
<svg class="bar" viewBox="0 0 ${WIDTH} 4" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="all" width="${WIDTH}" height="4"/><rect class="used" width="${before.toFixed(2)}" height="4"/><rect class="${sufficient ? 'this' : 'over'}" x="${before.toFixed(2)}" width="${after.toFixed(2)}" height="4"/></svg>
<p class="quiet">${used > 0 && `${text(used)} used before, `}${text(available)} left${sufficient ? ' now' : ': not enough'}</p></li>`;
}

/** What is certain, what will be known, and what cannot be had. */
function promisesOf({ lookup }: AdapterCapabilities): Markup {
  const isRead = lookup !== 'none';
  return markup`<ul class="promises">
<li class="yes"><span aria-hidden="true">✓</span> Exactly this is sent, at most once.</li>
<li class="${isRead ? 'yes' : 'no'}"><span aria-hidden="true">${isRead ? '✓' : '✕'}</span> The outcome ${isRead ? 'is read back from the provider' : 'cannot be read back from the provider'}.</li>
<li class="no"><span aria-hidden="true">✕</span> Once sent, it cannot be taken back from here.</li>
</ul>`;
}

function decisionsOf(decisions: readonly DecisionRecord[], names: NamesBeside): Markup {
  const items = decisions.map(({ principal, decision, note, stands, at, app }) => {
    const { id, type } = principal;
    const who =
      type === 'user' ? personOf(id, names, principal.email) : markup`API key ${named(principal.keyName, id)}`;
    const through = app !== null && markup` through the app ${named(names.apps[app.clientId] ?? null, app.clientId)}`;
    return markup`<li><p><strong>${decision === 'approve' ? 'Approved' : 'Denied'}</strong> by ${who}${through}, ${timeOf(at)}</p>
${note !== null && exactBlock(note, undefined, NOTE_BYTES_MAX)}
${!stands && decision === 'approve' && markup`<p class="note">It no longer counts: the credential was revoked, or the person has left.</p>`}</li>`;
  });
  return markup`<ul class="list">${items}</ul>`;
}
