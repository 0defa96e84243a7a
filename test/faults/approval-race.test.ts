import { expect, test } from 'vitest';
import { decide } from '../../api/approvals/decide.ts';
import type { Caller } from '../../api/http/callers.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { Scope } from '../../domain/scopes.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../activities/invocations/world.ts';
import { inForm } from './form.ts';
import { randomFrom } from '../harness/random.ts';

/**
 * Approve, deny, expire and cancel one approval at the same moment, in every order, while two workers try to reserve and send.
 * The real functions on a real database: each run is a seed, and a failure names it.
 */
const RUNS = inForm({ short: 100, full: 500 });
const AT_ONCE = 4;
const FAR = '2999-01-01T00:00:00.000Z';

const adapter = adapterThat(() => Promise.resolve(ACCEPTED));
const world = await ActivityWorld.start();
const keyIdOf = async (name: string): Promise<string> =>
  (await world.transaction((tx) => createApiKey(tx, { name, preset: 'full_access' }))).record.id;
const [alice, bob] = [await keyIdOf('alice'), await keyIdOf('bob')];
const activities = world.activities({ adapterFor: adapter.adapterFor });

type Ended = 'approved' | 'denied' | 'expired' | 'cancelled';
interface Row {
  status: string;
  bindingDigest: string;
  invocation: string;
  error: string | null;
  decisions: string[];
  dispatches: number;
}

async function rowOf({ approvalId }: ApprovalRef): Promise<Row> {
  const [row] = await world.database.asOwner<Row>(
    `SELECT a.status, a.binding_digest AS "bindingDigest", i.status AS invocation, i.error,
       ARRAY(SELECT d.decision FROM approval_decisions d WHERE d.approval_id = a.id ORDER BY d.decided_at) AS decisions,
       (SELECT CAST(count(*) AS int) FROM attempts t WHERE t.invocation_id = i.id AND t.kind = 'dispatch') AS dispatches
     FROM approvals a JOIN invocations i ON i.id = a.invocation_id WHERE a.id = $1`,
    [approvalId],
  );
  if (!row) throw new Error(`approval ${approvalId} is gone`);
  return row;
}

/** One decision by a key, as the route takes it. Returns whether it counted. A 409 is expected; any other error is thrown. */
async function decision(ref: ApprovalRef, keyId: string, what: 'approve' | 'deny', digest: string): Promise<boolean> {
  const { tenant } = world.database;
  const caller: Caller = {
    type: 'api_key',
    keyId,
    workspaceId: tenant.workspaceId,
    tenant,
    environment: { id: tenant.environmentId, name: 'Development', kind: 'development', protected: false },
    scopes: new Set<Scope>(['approvals:decide']),
    preset: null,
    expiresAt: null,
  };
  const deciding = { approvalId: ref.approvalId, decision: what, caller, requestId: 'req_race' } as const;
  const actor = { type: 'api_key', id: keyId } as const;
  try {
    const echoed = what === 'approve' ? { bindingDigest: digest, note: null } : { bindingDigest: null, note: 'no' };
    await world.transaction((tx) => decide(tx, { ...deciding, ...echoed, actor }));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'CONFLICT') return false;
    throw error;
  }
}

/** As the workflow does it after the notification; a run that comes too early finds that nobody has agreed yet. */
async function send(ref: InvocationRef): Promise<string> {
  const { next } = await activities.judgeInvocation(ref);
  if (next !== 'send') return next === 'ask_for_approval' ? 'early' : next;
  return (await activities.dispatchEffect({ ...ref, settles: true })).seen;
}

async function race(seed: number): Promise<Ended> {
  const random = randomFrom(seed);
  const admitted = await world.admit({
    definition: { approval: { required: true, tag: null } },
    input: { seed },
    config: { url: 'http://127.0.0.1:9/?seed={{input.seed}}&' },
  });
  const evaluation = await activities.judgeInvocation(admitted);
  if (evaluation.next !== 'ask_for_approval') throw new Error(`seed ${seed}: expected a wait, got ${evaluation.next}`);
  const { invocationId, workspaceId, environmentId } = admitted;
  const ref: ApprovalRef = { approvalId: evaluation.approvalId, invocationId, workspaceId, environmentId };
  const { bindingDigest } = await rowOf(ref);
  let [approved, denied] = [false, false];
  const steps: (() => Promise<unknown>)[] = [
    async () => void (approved = await decision(ref, alice, 'approve', bindingDigest)),
    async () => void (denied = await decision(ref, bob, 'deny', bindingDigest)),
    () => activities.expireApproval({ ...ref, at: FAR }),
    () => activities.cancelApproval(ref),
    () => send(admitted),
    () => send(admitted),
  ];
  // Shuffled, and some delayed by a moment, so that every order and every overlap occurs.
  const order = steps.map((step) => ({ step, key: random(), delayMs: random() < 0.5 ? 0 : random() * 12 }));
  order.sort((left, right) => left.key - right.key);
  await Promise.all(
    order.map(async ({ step, delayMs }) => {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      await step();
    }),
  );
  await Promise.all([send(admitted), send(admitted)]); // the workflow, notified at last
  return check(seed, ref, { approved, denied });
}

async function check(seed: number, ref: ApprovalRef, took: { approved: boolean; denied: boolean }): Promise<Ended> {
  const row = await rowOf(ref);
  const sent = adapter.sent.filter(({ request }) => request.url.includes(`seed=${seed}&`)).length;
  const seen = { seed, status: row.status, invocation: row.invocation, decisions: row.decisions, sent, ...took };
  const ends: Record<string, unknown> = {
    consumed: {
      status: 'consumed',
      invocation: 'succeeded',
      decisions: ['approve'],
      sent: 1,
      approved: true,
      denied: false,
    },
    denied: { status: 'denied', invocation: 'denied', decisions: ['deny'], sent: 0, approved: false, denied: true },
    expired: { status: 'expired', invocation: 'expired', decisions: [], sent: 0, approved: false, denied: false },
    cancelled: { status: 'cancelled', invocation: 'cancelled', decisions: [], sent: 0, approved: false, denied: false },
  };
  expect(seen).toEqual({ seed, ...(ends[row.status] as object | undefined) });
  expect(row.dispatches).toBe(sent);
  return row.status === 'consumed' ? 'approved' : (row.status as Ended);
}

test(`${RUNS} seeded races: one end each, nothing sent after a denial, never two dispatches`, async () => {
  const ends = new Map<Ended, number>();
  let next = 1;
  const run = async (): Promise<void> => {
    while (next <= RUNS) {
      const end = await race(next++);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  // Otherwise there would have been no race.
  for (const end of ['approved', 'denied', 'expired', 'cancelled'] as const) {
    expect(ends.get(end) ?? 0, end).toBeGreaterThan(RUNS / 50);
  }
  expect(adapter.sent).toHaveLength(ends.get('approved') ?? 0);
});
