import { randomUUID } from 'node:crypto';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { publishBody } from '../../../api/messages/body-schemas.ts';
import { PacedStarts } from '../../../api/starts/paced-starts.ts';
import { startDeliveries } from '../../../api/messages/start-deliveries.ts';
import { queueDeliveries } from '../../../db/in-flight/places.ts';
import { acceptMessages, type Published } from '../../../db/messages/accept/accept-messages.ts';
import { messageWorkflowId } from '../../../temporal/messages/deliver-message.ts';
import { START_MESSAGES_WORKFLOW, startMessagesWorkflowId } from '../../../temporal/messages/start-messages.ts';
import { startTestApi } from '../harness/test-api.ts';

const URL = 'https://example.com/hook';
// No worker serves this queue, so that what was started stands still.
const api = await startTestApi({ taskQueue: `nobody-${randomUUID()}` });
beforeEach(() => api.database.asOwner('DELETE FROM lane_places'));

/** Messages that are committed, and that nobody has started. */
function accept(...bodies: Record<string, unknown>[]): Promise<Published[]> {
  const { tenant } = api.database;
  const publisher = {
    tenant,
    publishedBy: { type: 'api_key', id: null },
    apiKeyId: null,
    publishesWhileHalted: false,
  } as const;
  const drafts = bodies.map((body) => ({ request: publishBody.parse({ url: URL, ...body }) }));
  return api.deps.db.withEnvironment(tenant, (tx) => acceptMessages(tx, api.deps.vault, publisher, drafts));
}

const isStarted = async (workflowId: string): Promise<boolean> => {
  try {
    await api.deps.temporal.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
const startedOf = async (published: readonly Published[]): Promise<boolean[]> =>
  Promise.all(published.map(({ messageId }) => isStarted(messageWorkflowId(messageId))));
const queuedIds = async (): Promise<string[]> => {
  const rows = await api.database.asOwner<{ holder: string }>(
    'SELECT holder FROM lane_places WHERE NOT is_taken ORDER BY asked_at, holder',
  );
  return rows.map(({ holder }) => holder);
};
/** The messages that were handed to the workflow that is named after the first of them. */
async function handedWith(messageId: string): Promise<string[]> {
  const { events } = await api.deps.temporal.workflow.getHandle(startMessagesWorkflowId(messageId)).fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return (JSON.parse(Buffer.from(payload?.data ?? []).toString('utf8')) as { messageIds: string[] }).messageIds;
}
const caller = () => ({ tenant: api.database.tenant, environment: { name: 'Development' } });

describe('while as many starts of a workspace are under way as may be', () => {
  const pacedStarts = new PacedStarts({ underWayMax: 1 });
  let endStart: () => void;
  let underWay: Promise<void>;
  beforeAll(() => {
    const held = new Promise<void>((resolve) => (endStart = resolve));
    underWay = pacedStarts.start(api.database.tenant.workspaceId, () => held);
  });
  afterAll(async () => {
    endStart();
    await underWay;
  });
  const begin = (published: readonly Published[]) => startDeliveries({ ...api.deps, pacedStarts }, caller(), published);

  test('a workflow starts what is published, due now or later', async () => {
    const published = await accept({}, { delay: '1h' });
    await begin(published);
    const ids = published.map(({ messageId }) => messageId);
    expect(await handedWith(ids[0] ?? '')).toEqual(ids);
    expect(await startedOf(published)).toEqual([false, false]);
  });

  test('a message that is due queues where others do, and nothing starts it', async () => {
    const { tenant } = api.database;
    const behind = (id: string) => api.deps.db.oneStatement(tenant, (tx) => queueDeliveries(tx, [id], 0));
    expect(await behind('waits')).toEqual([]);
    const published = await accept({});
    await begin(published);
    const [id = ''] = published.map(({ messageId }) => messageId);
    expect(await queuedIds()).toEqual(['waits', id]);
    expect([await isStarted(startMessagesWorkflowId(id)), ...(await startedOf(published))]).toEqual([false, false]);
  });

  test('the keys of many requests are granted together, each once', async () => {
    const flowControl = { key: `paced-${randomUUID()}`, parallelism: 5 };
    const published = await Promise.all(Array.from({ length: 4 }, () => accept({ flowControl })));
    const grants: string[] = [];
    const { db } = api.deps;
    const oneStatement: typeof db.oneStatement = (tenant, work) =>
      db.oneStatement(tenant, (tx) => {
        const raw: typeof tx.raw = (name, sql, bindings) => {
          if (sql.includes('grant_flow_control')) grants.push(sql);
          return tx.raw(name, sql, bindings);
        };
        return work({ ...tx, raw });
      });
    const counted = Object.assign(Object.create(db) as typeof db, { oneStatement });
    const deps = { ...api.deps, db: counted, pacedStarts };
    await Promise.all(published.map((messages) => startDeliveries(deps, caller(), messages)));
    expect(await startedOf(published.flat())).toEqual([true, true, true, true]);
    expect(grants.length).toBeLessThan(published.length);
  });
});

describe('a start that Temporal does not answer in time', () => {
  /** A client whose first starts of deliveries fail as that one does. */
  function failing(failures: number): Client {
    const { connection, options } = api.deps.temporal;
    let left = failures;
    return new Client({
      connection,
      namespace: options.namespace,
      interceptors: {
        workflow: [
          {
            start: (input, next) => {
              if (input.workflowType === START_MESSAGES_WORKFLOW || left === 0) return next(input);
              left -= 1;
              return Promise.reject(new Error('4 DEADLINE_EXCEEDED'));
            },
          },
        ],
      },
    });
  }
  const begin = (temporal: Client, published: readonly Published[]) =>
    startDeliveries({ ...api.deps, temporal }, caller(), published);

  test('leaves no other message of its batch: a workflow starts it and those behind it', async () => {
    const published = await accept(...Array.from({ length: 12 }, () => ({})));
    await begin(failing(1), published);
    const ids = published.map(({ messageId }) => messageId);
    expect(await handedWith(ids[0] ?? '')).toEqual(ids);
    expect(await startedOf(published)).toEqual(published.map(() => false));
  });

  test('is the sweep’s where it was the only one', async () => {
    const published = await accept({});
    await expect(begin(failing(1), published)).rejects.toThrow('DEADLINE_EXCEEDED');
    expect(await isStarted(startMessagesWorkflowId(published[0]?.messageId ?? ''))).toBe(false);
  });
});
