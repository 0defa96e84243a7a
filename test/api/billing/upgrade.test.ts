import { describe, expect, it } from 'vitest';
import { billingBudgetSchema } from '../../../api/billing/usage-schemas.ts';
import type { Role } from '../../../domain/roles.ts';
import { memberSession } from '../harness/member-session.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf, statusAndCode } from '../invocations/support.ts';

const api = await startTestApi();
const { workspaceId, environmentId } = api.database.tenant;
const { key } = await api.createKey(api.database.tenant, { scopes: ['billing:read'] });
const session = async (role: Role) => ({
  ...(await memberSession(api, workspaceId, role)).headers,
  'X-Environment-Id': environmentId,
});

const as = { member: await session('member'), admin: await session('admin'), owner: await session('owner') };

describe('what an admin decides in person', () => {
  const audited = (action: string) =>
    api.database.asOwner<{ details: unknown; target_id: string }>(
      'SELECT details, target_id FROM audit_log WHERE action = $1 ORDER BY sequence',
      [action],
    );

  describe('an upgrade', () => {
    const ask = (headers: Record<string, string>, ...body: unknown[]) =>
      api.call('POST', '/api/v2/billing/upgrade', {
        headers,
        ...(body.length === 0 ? {} : { body: body[0] }),
      });

    it('is refused for who asks before anything else', async () => {
      expect(statusAndCode(await ask({}))).toEqual([401, 'AUTHENTICATION_ERROR']);
      expect(statusAndCode(await ask(as.member))).toEqual([403, 'AUTHORIZATION_ERROR']);
      expect(statusAndCode(await ask({ Authorization: `Bearer ${key}` }))).toEqual([403, 'USER_IDENTITY_REQUIRED']);
      const other = await api.createKey(api.database.tenant, { scopes: ['messages:read'] });
      expect(statusAndCode(await ask({ Authorization: `Bearer ${other.key}` }))).toEqual([403, 'AUTHORIZATION_ERROR']);
      const stranger = await api.database.anotherWorkspace();
      const foreign = { ...as.admin, 'X-Environment-Id': stranger.development.environmentId };
      expect((await ask(foreign)).status).toBe(404);
      expect(await audited('billing.upgrade_requested')).toEqual([]);
    });

    it.each([
      ['a plan', { plan: 'growth' }, 'growth'],
      ['a plan that does not exist', { plan: 'gold' }, null],
      ['a wrong type', { plan: 7 }, null],
      ['unknown members', { plan: 'growth', coupon: 'x' }, 'growth'],
      ['an array', [], null],
      ['null', null, null],
      ['no body', undefined, null],
    ])('is refused while paid plans are closed: %s', async (_, body, plan) => {
      const before = (await audited('billing.upgrade_requested')).length;
      const reply = await ask(as.admin, body);
      expect(statusAndCode(reply)).toEqual([403, 'PAID_PLANS_UNAVAILABLE']);
      expect(reply.text).toContain('stays on the Enterprise plan');
      const entries = await audited('billing.upgrade_requested');
      expect(entries.slice(before)).toEqual([
        {
          target_id: api.database.tenant.workspaceId,
          details: { plan, from: 'enterprise', outcome: 'PAID_PLANS_UNAVAILABLE' },
        },
      ]);
      const [{ plan: present } = { plan: '' }] = await api.database.asOwner<{ plan: string }>(
        'SELECT plan FROM workspaces WHERE id = $1',
        [api.database.tenant.workspaceId],
      );
      expect(present).toBe('enterprise');
    });

    it('answers an owner as an admin', async () => {
      expect(statusAndCode(await ask(as.owner))).toEqual([403, 'PAID_PLANS_UNAVAILABLE']);
    });
  });

  describe('the alert target', () => {
    const put = (headers: Record<string, string>, body: unknown) =>
      api.call('PUT', '/api/v2/billing/budget', { headers, body });
    const target = { amount: 50_000, currency: 'usd' };

    it('is set by the session of an admin alone', async () => {
      expect(statusAndCode(await put({}, { target }))).toEqual([401, 'AUTHENTICATION_ERROR']);
      expect(statusAndCode(await put(as.member, { target }))).toEqual([403, 'AUTHORIZATION_ERROR']);
      expect(statusAndCode(await put({ Authorization: `Bearer ${key}` }, { target }))).toEqual([
        403,
        'USER_IDENTITY_REQUIRED',
      ]);
      expect(await audited('billing.budget_changed')).toEqual([]);
    });

    it('is kept with its thresholds in order, and audited with what was there before', async () => {
      const set = dataOf(await put(as.admin, { target, thresholds: [100, 25] }), billingBudgetSchema);
      expect(set).toMatchObject({ target, thresholds: [25, 100], percentUsed: 0, spend: { amount: 0 } });
      const read = await api.call('GET', '/api/v2/billing/budget', { key });
      expect(dataOf(read, billingBudgetSchema)).toEqual(set);
      const removed = dataOf(await put(as.owner, { target: null }), billingBudgetSchema);
      expect(removed).toMatchObject({ target: null, thresholds: [50, 80, 100], percentUsed: null });
      expect((await audited('billing.budget_changed')).map(({ details }) => details)).toEqual([
        { before: { target: null, thresholds: [50, 80, 100] }, after: { target, thresholds: [25, 100] } },
        { before: { target, thresholds: [25, 100] }, after: { target: null, thresholds: [50, 80, 100] } },
      ]);
    });

    it.each([
      ['no target', {}, 'body.target'],
      ['an amount of 0', { target: { amount: 0, currency: 'usd' } }, 'body.target.amount'],
      ['a fraction', { target: { amount: 1.5, currency: 'usd' } }, 'body.target.amount'],
      ['another currency', { target: { amount: 1, currency: 'eur' } }, 'body.target.currency'],
      ['no currency', { target: { amount: 1 } }, 'body.target.currency'],
      ['a threshold of 0', { target, thresholds: [0] }, 'body.thresholds[0]'],
      ['a threshold twice', { target, thresholds: [50, 50] }, 'body.thresholds'],
      ['no threshold', { target, thresholds: [] }, 'body.thresholds'],
      ['eleven thresholds', { target, thresholds: Array.from({ length: 11 }, (_, n) => n + 1) }, 'body.thresholds'],
      ['an unknown member', { target, enforcement: 'hard' }, 'body.enforcement'],
    ])('refuses %s', async (_, body, path) => {
      const reply = await put(as.admin, body);
      expect(statusAndCode(reply)).toEqual([400, 'VALIDATION_ERROR']);
      expect(reply.text).toContain(path);
    });
  });
});
