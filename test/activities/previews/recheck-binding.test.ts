import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../../domain/refusals.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { ActivityWorld } from '../invocations/world.ts';
import { newSecret, recheck as recheckIn, rotate as rotateIn, tamper as tamperIn } from './support.ts';

/** Right before the reservation: a change of any bound part is found. */
const world = await ActivityWorld.start();

type Parked = InvocationRef & { actionId: string; secret: string };

/** Parked for approval, so that it has a preview, an effect and an approval with one digest. */
async function parked(): Promise<Parked> {
  const secret = await newSecret(world);
  const ref = await world.admit({
    config: {
      method: 'POST',
      url: 'http://127.0.0.1:9/refunds?for={{invocation.id}}',
      headers: { authorization: `Bearer {{secret:${secret}}}`, 'x-key': '{{operationKey}}' },
      body: { amount: '{{input.amount}}' },
      idempotencyHeader: 'idempotency-key',
    },
    definition: {
      approval: { required: true, tag: null },
      impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
    },
    input: { amount: 1250 },
  });
  const evaluation = await world.activities().judgeInvocation(ref);
  if (evaluation.next !== 'ask_for_approval') throw new Error(`expected it to wait, not ${evaluation.next}`);
  return { ...ref, secret };
}

const rotate = (name: string): Promise<unknown> => rotateIn(world, name);
const tamper = (sql: string): Promise<unknown> => tamperIn(world, sql);
const recheck = (ref: InvocationRef, at: { now?: Date } = {}): Promise<Refusal | null> => recheckIn(world, ref, at);

test('nothing changed: nothing to say, also long after the preview of the service ended', async () => {
  const ref = await parked();
  expect(await recheck(ref)).toBeNull();
  expect(await recheck(ref, { now: new Date(Date.now() + 400 * 86_400_000) })).toBeNull();
});

test('a moved revision of the policies is no difference: they are evaluated again', async () => {
  const ref = await parked();
  const { environmentId } = world.database.tenant;
  await tamper(`INSERT INTO policy_revisions (environment_id, revision) VALUES ('${environmentId}', 7)`);
  expect(await recheck(ref)).toBeNull();
  await tamper('DELETE FROM policy_revisions');
});

describe('what changed is refused', () => {
  const version = (path: string, value: unknown) => (ref: Parked) =>
    tamper(
      `UPDATE action_versions SET definition = jsonb_set(definition, '{${path}}', '${JSON.stringify(value)}')
       WHERE id = (SELECT version_id FROM invocations WHERE id = '${ref.invocationId}')`,
    );
  const column = (table: string, set: string) => (ref: Parked) =>
    tamper(
      `UPDATE ${table} SET ${set} WHERE ${table === 'invocations' ? 'id' : 'invocation_id'} = '${ref.invocationId}'`,
    );
  const OTHER_DIGEST = `'sha256:${'1'.repeat(64)}'`;

  test.each<[string, (ref: Parked) => Promise<unknown>, RegExp, Refusal['code']?]>([
    ['the method', version('adapter,config,method', 'PUT'), /request/],
    ['the URL', version('adapter,config,url', 'http://127.0.0.1:9/refunds/'), /request/],
    ['a header', version('adapter,config,headers,x-more', 'more'), /request/],
    ['a body leaf', version('adapter,config,body,amount', '{{input.amount}}0'), /request/],
    ['the input', column('invocations', `input = '{"amount": 1251}'`), /request/],
    ['the operation key, which the request carries', column('invocations', `operation_key = id || 'x'`), /request/],
    ['the impact that the action declares', version('impact,0,bound', 'upper_bound'), /impact/],
    [
      'the impact that cannot be told any more',
      version('impact,0,amount', { path: 'input.none' }),
      /./,
      'impact_unbounded',
    ],
    ['the expiry', column('previews', `expires_at = expires_at + interval '1 hour'`), /digest/],
    ["the preview's request", column('previews', `request = jsonb_set(request, '{body}', '"x"')`), /request/],
    ["the preview's target", column('previews', `target = '{}'`), /target/],
    ["the preview's impact", column('previews', `impact = '[]'`), /impact/],
    [
      "the preview's policy revision",
      column('previews', `preconditions = jsonb_set(preconditions, '{policyRevision}', '9')`),
      /digest/,
    ],
    ["the preview's adapter", column('previews', `adapter_version = '0'`), /versions/],
    ["the preview's digest", column('previews', `binding_digest = ${OTHER_DIGEST}`), /digest/],
    ["the digest of the preview's request", column('previews', `request_digest = ${OTHER_DIGEST}`), /digest/],
    ["the effect's digest", column('effects', `binding_digest = ${OTHER_DIGEST}`), /effect's digest/],
    [
      "the effect's request",
      column('effects', `request = jsonb_set(request, '{url}', '"http://127.0.0.1/"')`),
      /effect's request/,
    ],
    ["the effect's impact", column('effects', `impact = '[]'`), /effect's impact/],
    ['the digest that was agreed to', column('approvals', `binding_digest = ${OTHER_DIGEST}`), /agreed to/],
    ['a secret that was replaced', (ref) => rotate(ref.secret), /replaced.*version 1, now 2/, 'precondition_changed'],
    [
      'a secret that was deleted',
      (ref) => tamper(`UPDATE secrets SET deleted_at = now() WHERE name = '${ref.secret}'`),
      /deleted/,
      'precondition_changed',
    ],
    [
      "the action's version",
      (ref) => tamper(`UPDATE actions SET current_version_id = 'ver_x' WHERE id = '${ref.actionId}'`),
      /newer version/,
      'action_version_changed',
    ],
  ])('%s', async (_, change, message, code = 'digest_mismatch') => {
    const ref = await parked();
    expect(await recheck(ref)).toBeNull();
    await change(ref);
    const refusal = await recheck(ref);
    expect(refusal?.code).toBe(code);
    expect(refusal?.message).toMatch(message);
  });
});
