import { randomUUID } from 'node:crypto';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../temporal/search-attributes.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createDevServerEnvironment, createTimeSkippingEnvironment } from '../harness/temporal.ts';

const database = await createTestDatabase();

describe('a test database', () => {
  it('is used as a plain role that owns nothing and that row-level security binds', async () => {
    const [role] = await database.asOwner<{ plain: boolean; owned: string }>(
      `SELECT NOT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb) AS plain,
              (SELECT count(*) FROM pg_class WHERE relowner = r.oid) AS owned
       FROM pg_roles r WHERE rolname = $1`,
      [new URL(database.applicationUrl).username],
    );
    expect(role).toEqual({ plain: true, owned: '0' });
    const unscoped = await database.db.directory.raw<{ rows: unknown[] }>(null, 'SELECT id FROM environments');
    expect(unscoped.rows).toEqual([]);
  });

  it('holds one environment of each kind, and production is protected', async () => {
    const { rows } = await database.db.withEnvironment(database.tenant, (tx) =>
      tx.raw<{ rows: unknown[] }>(null, 'SELECT id, kind, protected FROM environments ORDER BY kind'),
    );
    expect(rows).toEqual([
      { id: database.tenants.development.environmentId, kind: 'development', protected: false },
      { id: database.tenants.production.environmentId, kind: 'production', protected: true },
      { id: database.tenants.staging.environmentId, kind: 'staging', protected: false },
    ]);
  });

  it('does not show one workspace to another', async () => {
    const other = await database.anotherWorkspace();
    const { rows } = await database.db.withEnvironment(other.staging, (tx) =>
      tx.raw<{ rows: { workspace_id: string }[] }>(null, 'SELECT workspace_id FROM environments'),
    );
    expect(new Set(rows.map((row: { workspace_id: string }) => row.workspace_id))).toEqual(
      new Set([other.staging.workspaceId]),
    );
  });
});

describe.each([
  ['dev server', createDevServerEnvironment],
  ['time-skipping server', createTimeSkippingEnvironment],
])('the %s', (_name, create) => {
  let environment: TestWorkflowEnvironment;
  beforeAll(async () => {
    environment = await create();
  });
  afterAll(() => environment.teardown());

  const start = (key: ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>>) =>
    environment.client.workflow.start('anything', {
      workflowId: `harness/${randomUUID()}`,
      taskQueue: 'nobody-polls',
      typedSearchAttributes: [{ key, value: 'x' }],
    });

  it('takes a workflow that bears our search attributes, and refuses an unknown one', async () => {
    for (const key of Object.values(SEARCH_ATTRIBUTES)) {
      await (await start(key)).terminate();
    }
    await expect(start(defineSearchAttributeKey('Unheard', SearchAttributeType.KEYWORD))).rejects.toThrow(
      'Failed to start Workflow',
    );
  });
});
