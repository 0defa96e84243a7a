import { expect, test } from 'vitest';
import { approvalRoutes } from '../../../api/approvals/routes.ts';
import { startTestApi } from '../harness/test-api.ts';
import { approvalIn } from './support.ts';

/**
 * An Idempotency-Key names a request, not its sender (rule 2 of docs/idempotency.md). A decision belongs to a principal: if
 * another principal repeats it, they get the first one's reply, marked as a replay, and their repeat does not count.
 */

const api = await startTestApi({ routes: approvalRoutes });

test("another principal's Idempotency-Key decides nothing", async () => {
  const [asking, alice, bob] = await Promise.all(
    ['asking', 'alice', 'bob'].map((name) => api.createKey(api.database.tenant, { name, preset: 'full_access' })),
  );
  const body = { title: 'Deploy', summary: 'Deploys version 7.', payload: { version: 7 }, quorum: 2 };
  const opened = approvalIn(await api.call('POST', '/api/v2/approvals', { key: asking?.key ?? '', body }));
  const approve = (key = '', idempotencyKey = 'approve-it') =>
    api.call('POST', `/api/v2/approvals/${opened.id}/approve`, {
      key,
      body: { bindingDigest: opened.bindingDigest },
      headers: { 'Idempotency-Key': idempotencyKey },
    });
  const first = await approve(alice?.key);
  const repeated = await approve(bob?.key);
  expect(repeated.headers.get('X-Idempotent-Replay')).toBe('true');
  expect(repeated.text).toBe(first.text);
  expect(approvalIn(repeated)).toMatchObject({
    status: 'pending',
    quorum: { required: 2, received: 1 },
    decisions: [{ actor: { type: 'api_key', id: alice?.record.id } }],
  });
  // With their own key it counts.
  const second = approvalIn(await approve(bob?.key, 'approve-it-too'));
  expect([second.status, second.decisions.map(({ actor }) => actor.id)]).toEqual([
    'approved',
    [alice?.record.id, bob?.record.id],
  ]);
});
