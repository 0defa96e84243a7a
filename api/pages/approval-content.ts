import type { ApprovalRecord, DecisionRecord } from '../../db/approvals/records.ts';
import type { Allowance } from '../../db/impact-limits/list-allowances.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import type { Approvers } from '../../domain/approval-policies/verdict.ts';
import { quantityText } from '../../domain/approvals/summary.ts';
import type { ShownApproval } from '../approvals/schemas.ts';
import { presentApproval } from '../approvals/schemas.ts';
import { exactBlock, exactText } from './exact-text.ts';
import { markup, type Markup, type MarkupValue } from './markup.ts';
import { distanceOf, facts, jsonText, section, timeOf, whoOf } from './parts.ts';
import { blockOf, requestOf } from './preview-blocks.ts';

/** Everything that a person must see before they decide, in the order in which it matters. */
export function approvalContent(shown: ShownApproval, now: Date): Markup {
  const { approval, preview, allowances } = shown;
  return markup`${stateOf(shown, now)}
${section('What will happen', markup`<p>${exactText(approval.summary)}</p>`)}
${preview?.blocks.map(blockOf)}
${preview === null ? section('What is agreed to', exactBlock(jsonText(approval.payload), 'payload')) : sentOf(preview)}
${allowances.length > 0 && section('What remains of the impact limits', allowancesOf(allowances))}
${section('Why a person is asked', policyOf(approval))}
${section('Who asked', requesterOf(approval, preview))}
${section('Decisions', decisionsOf(approval.decisions))}
${section('Binding', bindingOf(approval, preview))}`;
}

/** The count is the one that the API answers. */
function stateOf(shown: ShownApproval, now: Date): Markup {
  const { approval } = shown;
  const { quorum } = presentApproval(shown, { pagesUrl: null, environmentId: '' });
  const isOpen = approval.status === 'pending' && approval.expiresAt > now;
  return facts([
    ['Status', markup`<strong>${isOpen || approval.status !== 'pending' ? approval.status : 'expired'}</strong>`],
    ['Approved by', `${quorum.received} of ${quorum.required}`],
    [isOpen ? 'Expires' : 'Expiry', markup`${timeOf(approval.expiresAt)} (${distanceOf(approval.expiresAt, now)})`],
    ['Decided', approval.decidedAt && timeOf(approval.decidedAt)],
    ['Carried out', approval.consumedAt && timeOf(approval.consumedAt)],
  ]);
}

function sentOf(preview: PreviewRecord): Markup {
  const target = Object.entries(preview.target).map(([name, value]) => [name, valueOf(value)] as const);
  const quantities = preview.impact.map((each) => markup`<li>${quantityText(each)}</li>`);
  return markup`${section('The exact request', requestOf(preview.request))}
${section('Target', target.length === 0 ? markup`<p class="note">The action names none.</p>` : facts(target))}
${section('Impact', quantities.length === 0 ? markup`<p class="note">The action declares none.</p>` : markup`<ul>${quantities}</ul>`)}`;
}

function valueOf(value: unknown): Markup {
  return typeof value === 'string' ? exactText(value) : markup`<code>${exactText(jsonText(value))}</code>`;
}

function allowancesOf(allowances: readonly Allowance[]): Markup {
  const rows = allowances.map(
    ({ name, requested, available, cap, unit, sufficient }) =>
      markup`<tr><th scope="row">${exactText(name)}</th><td>${requested} ${exactText(unit)}</td><td>${available} of ${cap}</td><td>${sufficient ? 'yes' : 'no'}</td></tr>`,
  );
  return markup`<table><caption>Amounts of money are in minor units, such as cents.</caption>
<thead><tr><th scope="col">Limit</th><th scope="col">Asked for</th><th scope="col">Available</th><th scope="col">Enough</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

const SOURCES: Record<ApprovalRecord['policy']['source'], string> = {
  policy: 'An approval policy',
  action: 'The action asks for it',
  environment: 'The environment asks for it',
  caller: 'Its caller asks for it',
};

function policyOf({ policy, quorum, approversOfAll, preventSelf }: ApprovalRecord): Markup {
  return facts([
    ['Asked by', SOURCES[policy.source]],
    ['Policy', policy.id !== null && markup`<code>${exactText(policy.id)}</code>, version ${policy.version}`],
    ['Rule', policy.ruleId !== null && markup`<code>${exactText(policy.ruleId)}</code>`],
    ['Reason', exactText(policy.reason)],
    ['Who may decide', approversOfAll.map(approversText).map((text) => markup`<span>${exactText(text)}</span> `)],
    ['How many must approve', quorum],
    ['Whoever asked', preventSelf ? 'cannot approve it' : 'may approve it too'],
  ]);
}

function approversText({ roles, users, keys }: Approvers): string {
  const named = [
    ...(roles ?? []).map((role) => `members with the role ${role}`),
    ...(users ?? []).map((user) => `the user ${user}`),
    ...(keys ?? []).map((key) => `the API key ${key}`),
  ];
  if (roles === undefined && users === undefined && keys === undefined) {
    return 'Any admin or owner, and any API key with approvals:decide.';
  }
  return named.length === 0 ? 'Nobody.' : `${named.join(', ')}.`;
}

function requesterOf(approval: ApprovalRecord, preview: PreviewRecord | null): Markup {
  const code = (text: string | null): MarkupValue => text !== null && markup`<code>${exactText(text)}</code>`;
  return facts([
    ['Requested by', whoOf(approval.requestedBy, null)],
    ['Agent', code(approval.agentId)],
    ['Run', code(approval.runId)],
    ['Asked', timeOf(approval.createdAt)],
    ['Action', approval.action && markup`${exactText(approval.action.name)} ${code(approval.action.id)}`],
    ['Adapter', preview && `${preview.adapterType}, version ${preview.adapterVersion}`],
    ['Environment', preview && markup`${exactText(preview.environment.name)} (${preview.environment.kind})`],
    ['Invocation', code(approval.invocationId)],
    ['Effect', code(approval.effectId)],
  ]);
}

function decisionsOf(decisions: readonly DecisionRecord[]): Markup {
  if (decisions.length === 0) return markup`<p class="note">Nobody has decided yet.</p>`;
  const items = decisions.map(
    ({ principal, decision, note, stands, at }) => markup`<li><p><strong>${
      decision === 'approve' ? 'Approved' : 'Denied'
    }</strong> by ${whoOf(principal, principal.keyName ?? principal.email)}, ${timeOf(at)}</p>
${note !== null && exactBlock(note)}
${!stands && markup`<p class="note">It does not count any more: the key was revoked, or the member was removed.</p>`}</li>`,
  );
  return markup`<ul class="list">${items}</ul>`;
}

function bindingOf(approval: ApprovalRecord, preview: PreviewRecord | null): Markup {
  return markup`<p class="note">A decision is about exactly what this page shows. If any of it changes, nothing is sent.</p>
${facts([
  ['Approval', markup`<code>${exactText(approval.id)}</code>`],
  ['Binding digest', markup`<code>${exactText(approval.bindingDigest)}</code>`],
  ['Request digest', preview && markup`<code>${exactText(preview.requestDigest)}</code>`],
  ['Read at the provider', preview && timeOf(preview.evidenceObservedAt)],
])}`;
}
