import { expect, test } from 'vitest';
import { archiveAction } from '../../../db/actions/changes.ts';
import { createPolicy } from '../../../db/approval-policies/changes.ts';
import { haltEnvironment } from '../../../db/environments/halt.ts';
import { createImpactLimit } from '../../../db/impact-limits/limits.ts';
import { deleteSecret } from '../../../db/secrets/secrets.ts';
import { parsePolicyDocument } from '../../../domain/approval-policies/document.ts';
import { documentDigestOf } from '../../../domain/approval-policies/files.ts';
import type { Judged } from '../../../domain/invocations/judgement.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import {
  AGAINST,
  CONDITIONS,
  type Condition,
  nameOf,
  REMEDY,
  ruled,
  type Situation,
  situations,
} from '../../domain/invocations/situations.ts';
import { newSecret } from '../previews/support.ts';
import { agreeTo } from './agree-to.ts';
import { ActivityWorld, type Admission } from './world.ts';

/** The evaluation and the last look say the same of every situation as a dry run (test/api/invocations/situations.test.ts). */

const world = await ActivityWorld.start();

const has = (situation: Situation, condition: Condition): boolean => situation.includes(condition);

/** What the tags and the declared impact of a situation's action are judged by. */
async function govern(): Promise<void> {
  for (const [tag, effect] of [
    ['denied', 'deny'],
    ['asked', 'require_approval'],
  ] as const) {
    const rules = [{ id: tag, match: { tags: [`*${tag}*`] }, effect }];
    const parsed = parsePolicyDocument({ schema: 'approval-policy/v1', name: tag, rules });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    const { document } = parsed;
    const createdBy = { type: 'api_key', id: 'key_test' } as const;
    await world.transaction((tx) => createPolicy(tx, { document, digest: documentDigestOf(document), createdBy }));
  }
  const terms = { currency: null, cap: 0, period: 'lifetime', timezone: 'UTC', scope: {} } as const;
  await world.transaction((tx) =>
    createImpactLimit(tx, { ...terms, name: 'short', dimension: 'scarce', thresholds: [] }),
  );
}

async function admit(situation: Situation): Promise<InvocationRef & { actionId: string; secret: string }> {
  const secret = await newSecret(world);
  const dimension = has(situation, 'short') ? 'scarce' : 'plenty';
  const admission: Admission = {
    config: {
      url: 'http://{{input.host}}:9/',
      headers: { 'x-key': `{{secret:${secret}}}` },
      allowedHosts: [has(situation, 'blocked') ? 'elsewhere.example' : '127.0.0.1'],
    },
    definition: {
      impact: [{ dimension, amount: { path: 'input.amount' }, bound: 'exact' }],
      approval: { required: has(situation, 'default'), tag: situation.join('-') },
    },
    input: { host: '127.0.0.1', amount: has(situation, 'unbounded') ? -1 : 1 },
  };
  return { ...(await world.admit(admission)), secret };
}

/** What may come to stand against an invocation after it was asked for. */
async function befall(situation: Situation, { actionId, secret }: { actionId: string; secret: string }): Promise<void> {
  if (has(situation, 'archived')) await world.transaction((tx) => archiveAction(tx, actionId));
  if (has(situation, 'secret')) await world.transaction((tx) => deleteSecret(tx, secret));
}

const halt = (): Promise<unknown> =>
  world.transaction((tx) =>
    haltEnvironment(tx, world.database.tenant.environmentId, {
      reason: 'the provider is down',
      actor: { type: 'api_key', id: 'key_test' },
    }),
  );
const resume = (): Promise<unknown> =>
  world.database.asOwner('UPDATE environments SET halted_at = NULL, halted_reason = NULL, halted_by = NULL');

const said = (judged: Judged): string =>
  judged.next === 'ended' ? (judged.state.refusal ?? judged.state.status) : judged.next;

/** Judges each invocation of a situation: those that are not halted first. */
async function judgeAll(admitted: Map<Situation, InvocationRef>): Promise<Record<string, string>> {
  const { judgeInvocation } = world.activities();
  const answers: Record<string, string> = {};
  for (const isHalted of [false, true]) {
    if (isHalted) await halt();
    for (const [situation, ref] of admitted)
      if (has(situation, 'halted') === isHalted) answers[nameOf(situation)] = said(await judgeInvocation(ref));
  }
  await resume();
  return answers;
}

/** A deleted secret, and a denial after people agreed, are the same facts under the codes of what was agreed to. */
const AT_THE_LAST_LOOK: Record<string, string> = {
  [AGAINST.denied]: 'approval_invalidated',
  [AGAINST.secret]: 'precondition_changed',
};

test('the last look, after people agreed: every set of what may have changed meanwhile', async () => {
  const changing: Condition[] = ['halted', 'archived', 'denied', 'secret', 'short'];
  const admitted = new Map<Situation, Awaited<ReturnType<typeof admit>>>();
  const { judgeInvocation } = world.activities();
  for (const situation of situations(changing, changing.length)) {
    const ref = await admit([...situation, 'default']);
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'ask_for_approval' });
    await agreeTo(world, ref.invocationId);
    admitted.set(situation, ref);
  }
  await govern();
  for (const [situation, ref] of admitted) await befall(situation, ref);
  const wanted = [...admitted.keys()].map((situation) => {
    const rule = ruled(situation);
    return [nameOf(situation), AT_THE_LAST_LOOK[rule] ?? rule];
  });
  expect(await judgeAll(admitted), REMEDY).toEqual(Object.fromEntries(wanted));
});

test('the evaluation: every pair and triple of conditions', async () => {
  const admitted = new Map<Situation, InvocationRef>();
  for (const situation of situations(CONDITIONS)) {
    const ref = await admit(situation);
    await befall(situation, ref);
    admitted.set(situation, ref);
  }
  const wanted = [...admitted.keys()].map((situation) => [nameOf(situation), ruled(situation)]);
  expect(await judgeAll(admitted), REMEDY).toEqual(Object.fromEntries(wanted));
});
