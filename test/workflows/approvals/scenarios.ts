import type { Activities } from '../../../activities/index.ts';
import type { ApprovalRef, ApprovalStatus, ApprovalWatch } from '../../../domain/approvals/approval.ts';
import type { Judged } from '../../../domain/invocations/judgement.ts';
import type { InvocationState } from '../../../domain/refs.ts';
import { PLACE_FREE_SIGNAL } from '../../../temporal/in-flight/place-free.ts';
import { caller, EFFECT, INVOCATION as ref, inTurn, NO_PLACE, type Scenario } from '../../replay/scenario.ts';

/** Every way in which an approval ends, and what its invocation does then. */

const approval: ApprovalRef = { approvalId: 'apr_0000000000000000000001', ...ref };
const { approvalId } = approval;
const { actionName, effectId } = EFFECT;
const HOUR_MS = 3_600_000;

const accepted: InvocationState = { status: 'succeeded', grade: 'acknowledged', stage: 'settled', effectId };
const ended = (status: 'denied' | 'expired' | 'cancelled'): Judged => ({
  next: 'ended',
  state: { status, grade: status === 'denied' ? 'denied' : 'refused', stage: 'rejected', effectId },
});

/** The row of an approval that waits for two hours, as its activities see it. The activities and the test change it. */
function rowOf() {
  const createdAtMs = Date.now();
  const state: ApprovalWatch = {
    status: 'pending',
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(createdAtMs + 2 * HOUR_MS).toISOString(),
    remindersSent: 0,
    decisions: 0,
    quorum: 2,
  };
  const becomes = (status: ApprovalStatus) => () => {
    state.status = status;
    return Promise.resolve();
  };
  return { state, becomes };
}

type Doing = (workflow: 'signal' | 'cancel') => Promise<unknown>;

/**
 * The activities of an approval. `at` runs during the `read`th read of the row: it plays what others commit and signal while the
 * workflow reads.
 */
function life(at: { read: number; act: (row: ReturnType<typeof rowOf>, doing: Doing) => Promise<unknown> } | null) {
  const own = rowOf();
  let reads = 0;
  return {
    watchApproval: async () => {
      const seen = { ...own.state };
      reads += 1;
      if (at?.read === reads) await at.act(own, tell);
      return seen;
    },
    remindApproval: async () => void (own.state.remindersSent += 1),
    expireApproval: own.becomes('expired'),
    cancelApproval: own.becomes('cancelled'),
  } satisfies Partial<Activities>;
}

/** The same with a chat to post to. The first run of the post is lost, and the approval is decided once it is posted. */
function posted() {
  const own = life(null);
  const state = { posts: 0 };
  return {
    ...own,
    watchApproval: async () => {
      const watch = await own.watchApproval();
      return state.posts < 2
        ? { ...watch, unposted: ['int_0000000000000000000001'] }
        : { ...watch, status: 'approved' as const };
    },
    postApproval: async () => {
      state.posts += 1;
      if (state.posts === 1) throw new Error('the answer of the chat was lost');
      await caller().signal('decided');
    },
  } satisfies Partial<Activities>;
}

/** The same with two chats, whose posts both queue for places, and are told of them together. */
function postedInTurn() {
  const own = life(null);
  const asked = new Map<string, number>();
  const posts = { made: 0 };
  return {
    ...own,
    watchApproval: async () => {
      const watch = await own.watchApproval();
      const unposted = ['int_0000000000000000000001', 'int_0000000000000000000002'];
      return posts.made < unposted.length ? { ...watch, unposted } : { ...watch, status: 'approved' as const };
    },
    postApproval: async ({ integrationId }) => {
      const before = asked.get(integrationId) ?? 0;
      asked.set(integrationId, before + 1);
      if (before === 0) {
        if (asked.size === 2) await caller().signal(PLACE_FREE_SIGNAL);
        return { ...NO_PLACE, lookAgainMs: 6 * HOUR_MS };
      }
      posts.made += 1;
      if (posts.made === 2) await caller().signal('decided');
    },
  } satisfies Partial<Activities>;
}

const tell: Doing = (what) => (what === 'signal' ? caller().signal('decided') : caller().cancel());
const decided = (status: 'approved' | 'denied', read = 1) => ({
  read,
  act: async (own: ReturnType<typeof rowOf>, doing: Doing) => {
    await own.becomes(status)();
    await doing('signal');
  },
});
const cancelled = { read: 1, act: (_: unknown, doing: Doing) => doing('cancel') };

const awaiting = (what: string, activities: Partial<Activities>): Scenario => ({
  name: `awaitApproval/${what}.v1`,
  workflow: 'awaitApproval',
  workflowId: `approval/${approvalId}`,
  args: [{ ...approval, subject: actionName }],
  activities,
  server: 'time-skipping',
});

const onward = { effectId, actionName, timeoutMs: 30_000, heartbeatTimeoutMs: 10_000, readsBack: false };
const asks: Judged = { next: 'ask_for_approval', approvalId, ...onward };
const sends: Judged = { next: 'send', ...onward };
const reads: Judged = { next: 'read_provider', actionName };
const refused: InvocationState = {
  status: 'refused',
  grade: 'refused',
  stage: 'rejected',
  effectId,
  refusal: 'approval_invalidated',
};

/** An invocation that is judged so, in turn. */
const waiting = (what: string, judged: readonly [Judged, ...Judged[]], activities: Partial<Activities>): Scenario => ({
  name: `invokeAction/${what}.v1`,
  workflow: 'invokeAction',
  workflowId: `invocation/${ref.invocationId}`,
  args: [ref],
  activities: {
    advanceInvocation: inTurn<Judged>(...judged),
    dispatchEffect: () => Promise.resolve({ seen: 'settled', state: accepted }),
    ...activities,
  },
  server: 'time-skipping',
});

export const scenarios: readonly Scenario[] = [
  awaiting('approved-when-signalled', life(decided('approved'))),
  awaiting('denied-after-a-reminder', life(decided('denied', 2))),
  awaiting('reminded-twice-then-expired', life(null)),
  awaiting('cancelled', life(cancelled)),
  awaiting('posted-to-a-chat-then-approved', posted()),
  awaiting('posted-in-turn-then-approved', postedInTurn()),
  waiting('approved', [asks, sends], life(decided('approved'))),
  waiting('denied', [asks, ended('denied')], life(decided('denied'))),
  waiting('expired', [asks, ended('expired')], life(null)),
  waiting('approval-cancelled', [asks, ended('cancelled')], life(cancelled)),
  waiting('invalidated', [asks, { next: 'ended', state: refused }], life(decided('approved'))),
  waiting('observed-before-and-after', [reads, asks, reads, sends], {
    ...life(decided('approved')),
    observeTarget: () => Promise.resolve({ outcome: 'observed' }),
  }),
  waiting('ended-before-it-was-looked-at', [ended('denied')], {}),
];
