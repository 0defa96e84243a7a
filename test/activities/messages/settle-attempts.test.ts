import { beforeEach, describe, expect, test } from 'vitest';
import { AttemptSettler } from '../../../activities/messages/attempt-settler.ts';
import { giveUpLostAttempts } from '../../../activities/messages/give-up-lost-attempts.ts';
import { type AttemptResult, NOTHING_SEEN } from '../../../activities/messages/read-answer.ts';
import { createKey } from '../../../db/flow-control/changes.ts';
import { insertMessages, type NewMessage } from '../../../db/messages/insert-messages.ts';
import type { MessageWork } from '../../../db/messages/message-work.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { plantSchedule } from '../../db/schedules/planted-rows.ts';
import { ActivityWorld } from '../invocations/world.ts';
import { claimDue } from './attempts.ts';

/** What comes of a message when its attempt has ended, or was lost. */

const world = await ActivityWorld.start();
const { tenant } = world.database;
const asOwner: typeof world.database.asOwner = (...statement) => world.database.asOwner(...statement);

const fired: unknown[] = [];
/** Workflows that were woken, or started (`wake`), and those that hear only where they run (`tell`). */
const told: string[] = [];
const deps = world.dependencies({
  wakeMessage: ({ messageId }) => Promise.resolve(void told.push(`wake ${messageId}`)),
  tellMessage: (messageId) => Promise.resolve(void told.push(`tell ${messageId}`)),
  startFiring: (firing) => Promise.resolve(void fired.push(firing)),
});
beforeEach(async () => {
  told.length = 0;
  await asOwner('DELETE FROM lane_queue');
});

async function claimed(given: Partial<NewMessage> = {}): Promise<MessageWork> {
  await world.transaction((tx) => insertMessages(tx, [plainMessage(given)]));
  const [work, ...others] = await claimDue(world);
  if (work === undefined || others.length > 0) throw new Error('this one alone is due');
  return work;
}

interface Answer extends Partial<AttemptResult> {
  status?: number;
}

async function settle(work: MessageWork, { status, ...given }: Answer): Promise<void> {
  const seen = { ...NOTHING_SEEN, status: status ?? null };
  const result = { seen, retryAfter: null, error: null, failure: null, ...given };
  const settler = new AttemptSettler(deps);
  await settler.settle(tenant, { work, status: 'completed', result, address: null, latencyMs: 5, egressBytes: 0 });
  await settler.drained();
}

/** Where the message stands, and whether its workflow was told. */
async function stateOf({ id }: MessageWork) {
  const [row] = await asOwner<{ status: string; queue: string | null; reason: string | null; waits_ms: number }>(
    `SELECT m.status, q.state || CASE WHEN q.has_workflow THEN ' under a workflow' ELSE '' END AS queue, d.reason,
       COALESCE(extract(epoch FROM q.due_at - m.updated_at) * 1000, 0)::int AS waits_ms
     FROM messages m LEFT JOIN lane_queue q ON q.message_id = m.id LEFT JOIN dead_letters d ON d.message_id = m.id WHERE m.id = $1`,
    [id],
  );
  if (row === undefined) throw new Error('the message is there');
  return { ...row, told: told.map((one) => one.replace(` ${id}`, '')) };
}
const attemptsOf = async ({ id }: MessageWork): Promise<string[]> => {
  const rows = await asOwner<{ status: string }>(
    'SELECT status FROM message_attempts WHERE message_id = $1 ORDER BY number',
    [id],
  );
  return rows.map(({ status }) => status);
};

const DELIVERED = { status: 'delivered', queue: null, reason: null, told: [] };
const WAITS = { status: 'processing', queue: 'timed under a workflow', reason: null, told: ['wake'] };
const failed = (reason: string) => ({ status: 'failed', queue: null, reason, told: [] });

describe('an attempt that ended', () => {
  test.each<[string, Answer, maxRetries: number, Record<string, unknown>, waitsMs: [number, number]]>([
    ['delivers with a 204', { status: 204 }, 0, DELIVERED, [0, 0]],
    ['is made again, after the back-off, under a workflow', { status: 500 }, 1, WAITS, [9_700, 14_700]],
    ['is made again where no answer came', { failure: 'timeout', error: 'none' }, 1, WAITS, [9_700, 14_700]],
    ['is made again when Retry-After asks', { status: 429, retryAfter: '60' }, 1, WAITS, [59_900, 60_100]],
    ['fails where no retry is left', { status: 500 }, 0, failed('retries_exhausted'), [0, 0]],
    ['fails with a 410', { status: 410 }, 5, failed('gone'), [0, 0]],
    ['fails with a 489', { status: 489 }, 5, failed('not_retryable'), [0, 0]],
    ['fails where the call is blocked', { failure: 'blocked', error: 'no' }, 5, failed('destination_blocked'), [0, 0]],
  ])('%s', async (_what, answer, maxRetries, expected, waitsMs) => {
    const work = await claimed({ maxRetries });
    await settle(work, answer);
    const { waits_ms: waited, ...state } = await stateOf(work);
    expect(state).toEqual(expected);
    expect(waited).toBeGreaterThanOrEqual(waitsMs[0]);
    expect(waited).toBeLessThanOrEqual(waitsMs[1]);
    expect(await attemptsOf(work)).toEqual(['completed']);
  });

  test('tells a workflow that keeps the time of its message, once', async () => {
    const work = await claimed();
    await asOwner('UPDATE lane_queue SET has_workflow = true');
    await settle(work, { status: 200 });
    await settle(work, { status: 200 }); // its end is on record
    expect(await stateOf(work)).toMatchObject({ ...DELIVERED, told: ['tell'] });
  });

  test.each([
    ['a 503 asks', 503, null, 30],
    ['a 429 asks', 429, 10, 30],
    ['another has asked for longer', 503, 50, 50],
    ['a 500 has no say', 500, null, null],
  ])('holds all messages of its key where %s', async (what, status, heldFor, expected) => {
    const keyId = await world.transaction((tx) => createKey(tx, what, { rate: null, parallelism: null }));
    const work = await claimed({ flowControl: { keyId, key: what }, maxRetries: 1 });
    await asOwner(`UPDATE lanes SET held_until = now() + $1 * interval '1 second' WHERE id = $2`, [heldFor, keyId]);
    await settle(work, { status, retryAfter: '30' });
    const held = 'SELECT round(extract(epoch FROM held_until - now()))::int AS seconds FROM lanes WHERE id = $1';
    expect(await asOwner(held, [keyId])).toEqual([{ seconds: expected }]);
  });
});

test('the end of a message starts the run of its schedule that waited for it; a retry does not', async () => {
  const scheduleId = await plantSchedule(await world.database.connectOwner(), tenant.environmentId);
  const nominalAt = '2026-11-22T09:00:00.000Z';
  await asOwner(
    `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
     VALUES ($1, $2, 'schedule', $3, 'waiting', 'OVERLAP', 'x', now())`,
    [tenant.environmentId, scheduleId, nominalAt],
  );
  const [retried, delivered] = [await claimed({ scheduleId, maxRetries: 1 }), await claimed({ scheduleId })];
  await settle(retried, { status: 500 });
  expect(fired).toEqual([]);
  await settle(delivered, { status: 200 });
  expect(fired).toEqual([{ ...tenant, scheduleId, trigger: 'schedule', nominalAt }]);
});

describe('an attempt that was lost with its worker', () => {
  /** Its lease is over, and another worker looks. */
  async function lose(work: MessageWork): Promise<void> {
    await asOwner('UPDATE lane_queue SET lease_until = now() WHERE message_id = $1', [work.id]);
    await giveUpLostAttempts(deps, tenant, { claim: '', messageIds: [] });
  }
  async function claimAgain({ id }: MessageWork): Promise<MessageWork> {
    await asOwner(`UPDATE lane_queue SET due_at = now() WHERE message_id = $1`, [id]);
    const [work] = await claimDue(world);
    if (work === undefined) throw new Error('it is due again');
    return work;
  }

  test.each([
    [0, failed('retries_exhausted')],
    [1, WAITS],
  ])('is made again after a second, three times, then as one of %i retries', async (maxRetries, then) => {
    let work = await claimed({ maxRetries });
    for (let lost = 1; lost <= 3; lost++) {
      await lose(work);
      const { waits_ms: waited, ...state } = await stateOf(work);
      expect(state).toEqual({ status: 'processing', queue: 'ready', reason: null, told: [] });
      expect(Math.abs(waited - 1_000)).toBeLessThan(100);
      work = await claimAgain(work);
      expect([work.attempt, work.lostAttempts]).toEqual([lost + 1, lost]);
    }
    await lose(work);
    expect(await stateOf(work)).toMatchObject(then);
    expect(await attemptsOf(work)).toEqual(['abandoned', 'abandoned', 'abandoned', 'abandoned']);
  });

  test('changes nothing when its end comes late, and takes nothing from the attempt after it', async () => {
    const work = await claimed();
    await lose(work);
    const again = await claimAgain(work);
    await settle(work, { status: 200 });
    expect(await stateOf(work)).toMatchObject({ status: 'processing', queue: 'taken', told: [] });
    await settle(again, { status: 410 });
    expect(await stateOf(work)).toMatchObject(failed('gone'));
    expect(await attemptsOf(work)).toEqual(['abandoned', 'completed']);
  });

  test('is left alone while its lease lasts', async () => {
    const work = await claimed();
    await giveUpLostAttempts(deps, tenant, { claim: '', messageIds: [] });
    expect(await attemptsOf(work)).toEqual(['started']);
  });
});
