import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ONBOARDING_STEP_IDS } from '../../../domain/analytics/onboarding.ts';
import { startTestService } from '../../harness/service.ts';
import { approve, keyClient, readApproval } from '../approvals/support.ts';
import { memberSession } from '../harness/member-session.ts';
import { invocationIn } from '../invocations/support.ts';
import { Analytics } from './support.ts';

const service = await startTestService();
const { tenants } = service.database;
const analytics = new Analytics(
  service,
  (await service.createKey(tenants.development, { scopes: ['analytics:read'] })).key,
);
const elsewhere = new Analytics(
  service,
  (await service.createKey(tenants.production, { scopes: ['analytics:read'] })).key,
);

interface Step {
  id: string;
  done: boolean;
  doneAt: string | null;
  docsUrl: string;
  consolePath: string | null;
}

async function stepsOf(of: Analytics): Promise<Step[]> {
  const { steps, completed, total } = await of.data<{ steps: Step[]; completed: number; total: number }>('onboarding');
  expect(steps.map(({ id }) => id)).toEqual(ONBOARDING_STEP_IDS);
  expect([completed, total]).toEqual([steps.filter(({ done }) => done).length, 11]);
  expect(steps.filter(({ done, doneAt }) => done !== (doneAt !== null))).toEqual([]);
  return steps;
}

const done = async (of: Analytics): Promise<string[]> =>
  (await stepsOf(of)).filter((step) => step.done).map(({ id }) => id);

async function post(path: string, body: object) {
  const reply = await service.post(`/api/v2/${path}`, body);
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply;
}

describe('the onboarding', () => {
  it('has one step done where nobody did anything but make a key', async () => {
    expect(await done(elsewhere)).toEqual(['key_created']);
  });

  it('closes each step when its first record is there, in this environment alone', async () => {
    const adapter = { type: 'http.request', config: { method: 'POST', url: 'https://shop.example/refunds' } };
    await post('actions', { name: 'plain', adapter });
    expect(await done(analytics)).toEqual(['key_created', 'action_created']);
    await post('actions', { name: 'refund', adapter, governed: true });
    await post('actions/refund/previews', { input: {} });
    expect(await done(analytics)).toEqual(['key_created', 'action_created', 'first_preview', 'action_governed']);
    const each = { id: 'each', match: { actions: ['*'] }, effect: 'require_approval' };
    await post('approval-policies', { document: { schema: 'approval-policy/v1', name: 'all', rules: [each] } });
    const { approvalId } = invocationIn(await post('actions/refund/invoke', { input: {} }));
    await post('runs', { name: 'a run' });
    await post('messages/publish', { url: 'https://shop.example/hook', delay: '1h' });
    const open = ['approver_added', 'first_decision', 'channel_connected'];
    expect(await done(analytics)).toEqual(ONBOARDING_STEP_IDS.filter((id) => !open.includes(id)));
    const decider = await keyClient(service, service.database.tenant);
    expect((await approve(decider, await readApproval(decider, approvalId))).status).toBe(200);
    expect(await done(analytics)).toContain('first_decision');
    await memberSession(service, service.database.tenant.workspaceId, 'owner');
    expect(await done(analytics)).not.toContain('approver_added');
    await memberSession(service, service.database.tenant.workspaceId, 'member');
    expect(await done(analytics)).toContain('approver_added');
    expect(await done(elsewhere)).toEqual(['key_created', 'approver_added']);
  });

  it('counts the first message as published when retention took its record', async () => {
    await service.database.asOwner(
      `UPDATE daily_usage SET environment_id = $2, day = '2026-01-05' WHERE environment_id = $1 AND allowance = 'messages'`,
      [service.database.tenants.development.environmentId, service.database.tenants.production.environmentId],
    );
    const step = (await stepsOf(elsewhere)).find(({ id }) => id === 'first_message');
    expect(step).toMatchObject({ done: true, doneAt: '2026-01-05T00:00:00.000Z' });
  });

  it('leads to headings of pages that are there', async () => {
    for (const { docsUrl } of await stepsOf(analytics)) {
      const [page = '', heading] = docsUrl.replace('/docs/', '').split('#');
      const file = new URL(`../../../docs/${page}.md`, import.meta.url);
      expect(existsSync(file), docsUrl).toBe(true);
      const headings = readFileSync(file, 'utf8').match(/^#+ .*$/gm) ?? [];
      const anchors = headings.map((line) =>
        line
          .replace(/^#+ /, '')
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      );
      expect([undefined, ...anchors], docsUrl).toContain(heading);
    }
  });
});
