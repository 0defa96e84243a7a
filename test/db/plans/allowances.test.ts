import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Database, type Tenant } from '../../../db/client.ts';
import { consumeAllowance, giveBackAllowance } from '../../../db/plans/allowances.ts';
import { readPlan, readUsage, setPlan } from '../../../db/plans/plans.ts';
import type { ServiceError } from '../../../domain/errors.ts';
import { type Allowance, PLAN_TABLE, type PlanName, usageResetsAt } from '../../../domain/plans.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

const ALLOWED = PLAN_TABLE.free.allowances.executions ?? 0;

describe('a monthly allowance', () => {
  let database: TestDatabase;
  let other: Database;
  let tenant: Tenant;
  let sibling: Tenant;
  beforeAll(async () => {
    database = await createTestDatabase();
    other = new Database({ url: database.applicationUrl, applicationName: 'another-process', poolMax: 10 });
  });
  afterAll(async () => {
    await other?.close();
    await database?.close();
  });
  beforeEach(async () => {
    const workspace = await database.anotherWorkspace();
    tenant = workspace.development;
    sibling = workspace.production;
  });

  const putOn = (plan: PlanName): Promise<unknown> =>
    database.db.withWorkspace(tenant.workspaceId, (tx) => setPlan(tx, plan));
  const consume = (amount: number, db = database.db, allowance: Allowance = 'executions'): Promise<void> =>
    db.withEnvironment(tenant, (tx) => consumeAllowance(tx, allowance, amount));
  const used = async (): Promise<number> => (await database.db.withWorkspace(tenant.workspaceId, readUsage)).executions;
  const refusal = async (work: Promise<unknown>): Promise<ServiceError> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown as ServiceError,
    );
    if (error === null) throw new Error('it was not refused');
    return error;
  };

  it('is used up to the last one by admissions at once in two processes, and by no more', async () => {
    await putOn('free');
    await consume(ALLOWED - 20);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => consume(1, index % 2 === 0 ? database.db : other)),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(20);
    expect(await used()).toBe(ALLOWED);
  });

  it('is refused with what, how many and until when', async () => {
    await putOn('free');
    await consume(ALLOWED);
    const error = await refusal(consume(1));
    expect([error.code, error.status]).toEqual(['QUOTA_EXCEEDED', 429]);
    expect(error.publicMessage).toContain('The Free plan includes 1000 action executions a month');
    expect(error.publicMessage).toContain(usageResetsAt(new Date()).toISOString());
  });

  it('is taken as a whole or not at all', async () => {
    await putOn('free');
    await consume(ALLOWED - 3);
    expect((await refusal(consume(4))).publicMessage).toContain('fewer than the 4 asked for are left');
    expect(await used()).toBe(ALLOWED - 3);
    await consume(3);
    expect((await refusal(consume(ALLOWED + 1, database.db, 'memory_processing'))).code).toBe('QUOTA_EXCEEDED');
  });

  it('is not used by a transaction that rolls back', async () => {
    await putOn('free');
    await expect(
      database.db.withEnvironment(tenant, async (tx) => {
        await consumeAllowance(tx, 'executions', 5);
        throw new Error('not admitted');
      }),
    ).rejects.toThrow('not admitted');
    expect(await used()).toBe(0);
  });

  it('is given back in the month that it was taken from', async () => {
    await putOn('free');
    await consume(ALLOWED);
    const giveBack = (at: Date): Promise<void> =>
      database.db.withEnvironment(tenant, (tx) => giveBackAllowance(tx, 'executions', 1, at));
    await giveBack(new Date(Date.now() - 40 * 86_400_000)); // used in an earlier month, which does not count in this one
    expect((await refusal(consume(1))).code).toBe('QUOTA_EXCEEDED');
    await giveBack(new Date());
    await consume(1);
    expect(await used()).toBe(ALLOWED);
  });

  it('begins anew with the month', async () => {
    await putOn('free');
    await consume(ALLOWED);
    await database.asOwner(`UPDATE monthly_usage SET month = month - interval '1 month' WHERE workspace_id = $1`, [
      tenant.workspaceId,
    ]);
    await consume(1);
    expect(await used()).toBe(1);
  });

  it('is one for all environments of the workspace, and none of another workspace’s business', async () => {
    await putOn('free');
    await consume(ALLOWED);
    const inSibling = database.db.withEnvironment(sibling, (tx) => consumeAllowance(tx, 'executions', 1));
    expect((await refusal(inSibling)).code).toBe('QUOTA_EXCEEDED');
    await database.db.withEnvironment(database.tenant, (tx) => consumeAllowance(tx, 'executions', 1));
  });

  it('is counted without a limit too, so that a smaller plan finds what was used', async () => {
    await Promise.all(Array.from({ length: 30 }, () => consume(50)));
    expect(await used()).toBe(1_500);
    await putOn('free');
    expect((await refusal(consume(1))).code).toBe('QUOTA_EXCEEDED');
    await putOn('production');
    await consume(1);
    expect(await used()).toBe(1_501);
    expect(await database.db.withWorkspace(tenant.workspaceId, readPlan)).toBe('production');
  });
});
