import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishedSchema } from '../../../api/messages/schemas.ts';
import { DEFAULT_SLOTS } from '../../../activities/create-worker.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTarget, type Target } from '../../harness/target.ts';
import { createAction, type Caller, dataOf, invoke } from '../invocations/support.ts';

/** One workspace's hanging calls leave the others their slots: over real HTTP, with fewer slots than calls that hang. */
const HANGING = 60;
const SLOTS = 30;
const CAP = 20;
const PROMPT_MS = 15_000;

let service: TestService;
let target: Target;
let victim: Caller;
let victimsWorkspace: string;
beforeAll(async () => {
  [service, target] = await Promise.all([
    startTestService({
      slots: { ...DEFAULT_SLOTS, dispatches: SLOTS, deliveries: 10 },
      inFlightCaps: { dispatch: CAP, delivery: 2, provider_read: 2 },
    }),
    startTarget(),
  ]);
  const { development } = await service.database.anotherWorkspace();
  victimsWorkspace = development.workspaceId;
  const { key } = await service.createKey(development);
  victim = {
    post: (path, body, headers = {}) => service.call('POST', path, { key, body, headers }),
    get: (path) => service.call('GET', path, { key }),
  };
});
afterAll(async () => {
  await target.stop();
  await service.close();
});

const hanging = async (): Promise<number> => (await target.requests('/hang')).length;
const queued = async (kind: string): Promise<number> =>
  (await service.database.asOwner('SELECT 1 FROM in_flight_permits WHERE kind = $1 AND NOT is_taken', [kind])).length;

describe('more dispatches of one workspace hang than a worker has slots', () => {
  test('another workspace is answered promptly; each is sent once, as permits free', async () => {
    const action = await createAction(
      service,
      { url: `${target.baseUrl}/hang` },
      { timeoutMs: 120_000, governed: false },
    );
    const replies = Array.from({ length: HANGING }, () => invoke(service, action));
    const seen = async () => ({ hanging: await hanging(), queued: await queued('dispatch') });
    await expect.poll(seen).toEqual({ hanging: CAP, queued: HANGING - CAP });

    const prompt = await createAction(victim, { url: `${target.baseUrl}/ok` }, { governed: false });
    const startedAt = Date.now();
    const { invocation } = await invoke(victim, prompt);
    expect(invocation.status).toBe('succeeded');
    expect(Date.now() - startedAt).toBeLessThan(PROMPT_MS);
    const history = await service.client.workflow.getHandle(`invocation/${invocation.id}`).fetchHistory();
    const turns = history.events?.map((event) => event.activityTaskScheduledEventAttributes?.priority?.fairnessKey);
    expect(new Set(turns?.filter((turn) => turn !== undefined))).toEqual(new Set([victimsWorkspace]));
    expect(await hanging()).toBe(CAP);

    const releasing = setInterval(() => void target.release(), 250);
    try {
      const ended = (await Promise.all(replies)).map(({ invocation }) => [invocation.status, invocation.error]);
      expect(ended.filter(([status]) => status !== 'succeeded')).toEqual([]);
    } finally {
      clearInterval(releasing);
    }
    expect(await hanging()).toBe(HANGING);
    expect(await service.database.asOwner('SELECT 1 FROM in_flight_permits')).toEqual([]);
  });
});

describe('dispatches that hang hold every slot of the queue that they share with deliveries', () => {
  test('deliveries have slots of their own beside it, and arrive', async () => {
    const SLOTS_EACH = 2;
    const HANGING_MAX = SLOTS_EACH + 1; // and the one for a delivery at once
    const small = await startTestService({
      slots: {
        dispatches: SLOTS_EACH,
        deliveries: SLOTS_EACH,
        'provider-reads': SLOTS_EACH,
        maintenance: SLOTS_EACH,
      },
      inFlightCaps: { dispatch: HANGING_MAX, delivery: SLOTS_EACH, provider_read: SLOTS_EACH },
    });
    try {
      await target.reset();
      const action = await createAction(
        small,
        { url: `${target.baseUrl}/hang` },
        { timeoutMs: 120_000, governed: false },
      );
      const replies = Array.from({ length: HANGING_MAX }, () => invoke(small, action));
      await expect.poll(hanging).toBe(HANGING_MAX);
      const published = await small.post('/api/v2/messages/publish', { url: `${target.baseUrl}/ok`, maxRetries: 0 });
      expect(published.status).toBe(201);
      const open = () => small.database.asOwner(`SELECT 1 FROM messages WHERE status <> 'delivered'`);
      await expect.poll(open).toEqual([]);
      expect(await hanging()).toBe(HANGING_MAX);
      await target.release();
      await Promise.all(replies);
    } finally {
      await small.close();
    }
  });
});

describe('deliveries of one workspace hang', () => {
  test('no more than its share is under way, and all arrive, one for each message', async () => {
    await target.reset();
    const published = await Promise.all(
      Array.from({ length: 8 }, () =>
        service.post('/api/v2/messages/publish', { url: `${target.baseUrl}/hang`, timeoutSeconds: 60, maxRetries: 0 }),
      ),
    );
    expect(published.map(({ status }) => status)).toEqual(published.map(() => 201));
    await expect.poll(() => queued('delivery')).toBe(6);
    await expect.poll(hanging).toBe(2);
    // A crowd waits: one more has a row in its queue, and no workflow until its turn.
    const late = await service.post('/api/v2/messages/publish', { url: `${target.baseUrl}/hang`, maxRetries: 0 });
    const { messageId } = dataOf(late, publishedSchema);
    expect(await queued('delivery')).toBe(7);
    await expect(service.client.workflow.getHandle(`message/${messageId}`).describe()).rejects.toThrow(
      WorkflowNotFoundError,
    );
    const releasing = setInterval(() => void target.release(), 250);
    try {
      const open = () =>
        service.database.asOwner(
          `SELECT m.id, m.status, p.is_taken, p.granted_at, p.unclaimed_grants FROM messages m
           LEFT JOIN in_flight_permits p ON p.holder = m.id WHERE m.status <> 'delivered'`,
        );
      await expect.poll(open).toEqual([]);
    } catch (error) {
      console.error(service.workerLogLines.filter((line) => /"level":(40|50)/.test(line)).join('\n'));
      throw error;
    } finally {
      clearInterval(releasing);
    }
    expect(await hanging()).toBe(9);
  });
});
