import type { OutcomeAfter } from '../../db/approvals/queries.ts';
import type { ApprovalStatus } from '../../domain/approvals/approval.ts';
import { type RefusalCode, refusalEntry, refusalMessage } from '../../domain/refusals.ts';
import { receivedOf, type ShownApproval } from '../approvals/schemas.ts';
import { exactText } from '../html/exact-text.ts';
import { markup, type Markup, type MarkupValue } from '../html/markup.ts';
import { distanceOf, facts, inConsole, named, timeOf } from '../html/parts.ts';

/** The state of an approval, and after it what became of what was asked for: at the top of the right side. */

export interface State {
  shown: ShownApproval;
  /** Null for a free-standing approval. */
  outcome: OutcomeAfter | null;
  environment: { id: string };
  now: Date;
}

type Tone = 'good' | 'bad' | 'quiet' | 'open';

const SHAPES: Record<Tone, string> = { good: '✓', bad: '✕', quiet: '■', open: '●' };
const ERROR_BYTES_MAX = 4_000;

/** The page reloads while this is true. */
export function isUnderWay({ shown: { approval }, outcome }: State): boolean {
  if (outcome === null || (approval.status !== 'approved' && approval.status !== 'consumed')) return false;
  return ['pending_approval', 'queued', 'dispatching'].includes(outcome.status);
}

export function isOpen({ shown: { approval }, now }: Pick<State, 'shown' | 'now'>): boolean {
  return approval.status === 'pending' && approval.expiresAt > now;
}

export function stateOf(state: State): Markup {
  const { shown, outcome, now } = state;
  const { approval } = shown;
  if (isOpen(state)) {
    const count = approval.quorum > 1 && markup`<p>${receivedOf(approval)} of ${approval.quorum} have approved.</p>`;
    return panel('open', 'Waits for a decision', [
      count,
      markup`<p>Until ${timeOf(approval.expiresAt)}, ${distanceOf(approval.expiresAt, now)}.</p>`,
    ]);
  }
  const isAgreed = approval.status === 'approved' || approval.status === 'consumed';
  if (isAgreed && outcome !== null) return happened(outcome, recordOf(state));
  return ended(approval.status, state);
}

const ENDS: Record<ApprovalStatus, [Tone, string]> = {
  pending: ['quiet', 'Expired'],
  expired: ['quiet', 'Expired'],
  approved: ['good', 'Approved'],
  consumed: ['good', 'Approved and used'],
  denied: ['bad', 'Denied'],
  cancelled: ['quiet', 'Cancelled'],
  invalidated: ['bad', 'No longer valid'],
};

function ended(status: ApprovalStatus, { shown: { approval }, outcome }: State): Markup {
  const [tone, word] = ENDS[status];
  const at = approval.decidedAt ?? approval.expiresAt;
  const sent =
    approval.kind === 'invocation' ? 'Nothing was sent.' : tone !== 'good' && 'Whoever asked learns it from the API.';
  return panel(tone, word, [
    markup`<p>${timeOf(at)}. ${sent}</p>`,
    status === 'invalidated' && outcome !== null && reasonOf(outcome.refusalCode, outcome.error),
  ]);
}

/** Where the receipt stands. */
function recordOf({ shown: { approval }, environment }: State): Markup | null {
  const { effectId, invocationId } = approval;
  if (effectId !== null) return inConsole(environment.id, '/effects', effectId);
  return invocationId === null ? null : inConsole(environment.id, '/invocations', invocationId);
}

/** In the words of the grades (docs/receipts.md). */
function happened(outcome: OutcomeAfter, record: Markup | null): Markup {
  const receipt = receiptOf(outcome, record);
  const { status, grade, error, refusalCode } = outcome;
  switch (status) {
    case 'pending_approval':
    case 'queued':
      return panel('open', 'Approved, about to be sent', [GOES_ON]);
    case 'dispatching':
      return panel('open', 'Approved, being sent now', [GOES_ON]);
    case 'succeeded':
      return panel('good', grade === 'confirmed' ? 'Done: confirmed' : 'Done: accepted by the provider', [
        markup`<p>${
          grade === 'confirmed'
            ? 'The provider’s own record says that it happened.'
            : 'The provider accepted it. Its record was not read.'
        }</p>`,
        receipt,
      ]);
    case 'failed':
      return panel('bad', 'Failed', [errorOf(error), receipt]);
    case 'unknown':
      return panel('bad', 'Outcome unknown', [
        markup`<p>It may have happened, or not. It is not sent again.</p>`,
        errorOf(error),
        receipt,
      ]);
    case 'refused':
      return panel('bad', 'Refused: nothing was sent', [reasonOf(refusalCode, error), receipt]);
    case 'denied':
    case 'expired':
    case 'cancelled':
      return panel('quiet', `Approved, then ${status}`, [markup`<p>Nothing was sent.</p>`, errorOf(error)]);
  }
}

const GOES_ON = markup`<p>This page loads again until there is an outcome.</p>`;

function reasonOf(code: RefusalCode | null, error: string | null): Markup {
  if (code === null) return markup`${errorOf(error)}`;
  return markup`<p>${refusalEntry(code).meaning}</p>
<p class="quiet">${exactText(refusalMessage(code, error), ERROR_BYTES_MAX)} <code>${code}</code></p>`;
}

function errorOf(error: string | null): Markup | false {
  return error !== null && markup`<p>${exactText(error, ERROR_BYTES_MAX)}</p>`;
}

function receiptOf({ answered, providerReference, settledAt }: OutcomeAfter, record: Markup | null): Markup {
  return facts([
    ['Answer', answered !== null && `HTTP ${answered} from the provider`],
    ['Reference', providerReference !== null && named(null, providerReference)],
    ['Settled', settledAt !== null && timeOf(settledAt)],
    ['Receipt', record],
  ]);
}

function panel(tone: Tone, word: string, lines: readonly MarkupValue[]): Markup {
  return markup`<div class="state ${tone}" role="status"><p><strong><span aria-hidden="true">${SHAPES[tone]}</span> ${word}</strong></p>
${lines}</div>`;
}
