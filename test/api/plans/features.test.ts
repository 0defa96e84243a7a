import { expect, describe, it } from 'vitest';
import { setPlan } from '../../../db/plans/plans.ts';
import type { PlanName } from '../../../domain/plans.ts';
import { createPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';

const api = await startTestApi();
const { workspaceId } = api.database.tenant;

describe('a feature that not every plan has', () => {
  const putOn = (plan: PlanName): Promise<unknown> =>
    api.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, plan));

  it('is refused with the plans that have it, and given once the workspace is on one of them', async () => {
    const owner = await createPerson(api, 'owner');
    const ask = () => owner.call('GET', `/api/v2/workspaces/${workspaceId}/audit`);
    expect((await ask()).status).toBe(200);
    await putOn('free');
    await expect.poll(async () => (await ask()).status).toBe(403);
    const refused = await ask();
    expect(refused.json).toMatchObject({ success: false, error: { code: 'FEATURE_NOT_AVAILABLE' } });
    expect(refused.text).toMatch(/Free plan does not include the audit log.*Production/);
    await putOn('production');
    await expect.poll(async () => (await ask()).status).toBe(200);
  });

  it('is not told to those who may not ask', async () => {
    await putOn('free');
    const member = await createPerson(api, 'member');
    const code = async (): Promise<unknown> =>
      ((await member.call('GET', `/api/v2/workspaces/${workspaceId}/audit`)).json as { error: { code: unknown } }).error
        .code;
    expect(await code()).toBe('AUTHORIZATION_ERROR');
  });
});
