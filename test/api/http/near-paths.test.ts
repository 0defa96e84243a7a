import { expect, it } from 'vitest';
import { NearPaths } from '../../../api/http/near-paths.ts';
import { ROUTES } from '../../../api/routes.ts';

const near = new NearPaths(ROUTES.map(({ path }) => path));

it.each([
  ['/invocations', '/api/v2/actions/invocations'],
  ['/api/v2/invocations', '/api/v2/actions/invocations'],
  ['/api/v2/invocations/inv_1', '/api/v2/actions/invocations/{id}'],
  ['/api/v2/effects/eff_1/notes', '/api/v2/actions/effects/{id}/notes'],
  ['/actions', '/api/v2/actions'],
  ['/api/actions', '/api/v2/actions'],
  ['/api/v1/actions', '/api/v2/actions'],
  ['/v2/actions', '/api/v2/actions'],
  ['/v2/actions/refund.create/invoke', '/api/v2/actions/{ref}/invoke'],
  ['/api/v2//actions//', '/api/v2/actions'],
  ['/api/v2/Actions', '/api/v2/actions'],
  ['/api/v2/schedule', '/api/v2/schedules'],
  ['/api/v2/approval-policy', '/api/v2/approval-policies'],
  ['/api/v2/approvalPolicies', '/api/v2/approval-policies'],
  ['/api/v2/impact_limits', '/api/v2/impact-limits'],
  ['/api/v2/actoins', '/api/v2/actions'],
  ['/api/v2/policies', '/api/v2/approval-policies'],
])('%s: did you mean %s?', (path, meant) => {
  expect(near.of(path)[0]).toBe(meant);
});

it.each([
  '/',
  '/api/v2',
  '/favicon.ico',
  '/wp-admin/index.php',
  '/xyzzy',
  `/${'a/'.repeat(200)}`,
  `/${'q'.repeat(5_000)}`,
])('suggests nothing for %s', (path) => {
  expect(near.of(path)).toEqual([]);
});

it('suggests at most three, and repeats nothing of the request', () => {
  const found = near.of('/api/v2/previews/prv_secret');
  expect(found.length).toBeLessThanOrEqual(3);
  expect(found.join()).not.toContain('prv_secret');
});
