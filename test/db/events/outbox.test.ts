import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { NOTIFIED_EVENT_TYPES, PLATFORM_EVENT_TYPES } from '../../../domain/events/event-types.ts';
import { subscribeToService } from '../../api/events/support.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plantApproval } from '../approvals/planted-rows.ts';
import { plantNewEffect } from '../effects/planted-rows.ts';
import { insert } from '../harness/plant.ts';

/** What leaves a platform event in the outbox, and what refuses a change without one. */

const database = await createTestDatabase();
const owner = await database.connectOwner();
async function plantMessage(): Promise<string> {
  const id = newId('message');
  const content = { url: 'https://example.com/hook', method: 'POST', published_by: {}, retention: 'week' };
  const state = { max_retries: 5, timeout_seconds: 30, status: 'pending', next_attempt_at: new Date() };
  await insert(owner, 'messages', { id, environment_id: database.tenant.environmentId, ...content, ...state });
  return id;
}

interface Change {
  table: string;
  plant: () => Promise<string>;
  /** SQL, with the row's id as $1. */
  change: string;
}

const plantEffect = async (): Promise<string> => (await plantNewEffect(owner, database.tenant)).effectId;
const planted = () => plantApproval(owner, database.tenant);
const decide = (status: string): string =>
  `UPDATE approvals SET status = '${status}', decided_at = now(), awaited_status = NULL WHERE id = $1`;
const SETTLE = `UPDATE effects SET stage = 'settled', outcome = 'failed', outcome_source = 'system', first_dispatched_at = now(),
  outcome_at = now() WHERE id = $1`;
const END = (status: string, column: string): string =>
  `UPDATE messages SET status = '${status}', ${column} = now() WHERE id = $1`;

const CHANGES: Record<string, Change> = {
  'effect.settled': { table: 'effects', plant: plantEffect, change: SETTLE },
  'approval.decided': { table: 'approvals', plant: planted, change: decide('denied') },
  'approval.expired': { table: 'approvals', plant: planted, change: decide('expired') },
  'message.delivered': { table: 'messages', plant: plantMessage, change: END('delivered', 'delivered_at') },
  'message.failed': { table: 'messages', plant: plantMessage, change: END('failed', 'failed_at') },
};
const TYPES = Object.keys(CHANGES);

const left = async (id: string): Promise<string[]> =>
  (await database.asOwner<{ type: string }>('SELECT type FROM raised_events WHERE row_id = $1', [id])).map(
    ({ type }) => type,
  );

/** The change in a transaction of its own, of a row whose own rules are off; `also` is run beside it. Returns the row's id. */
async function changed(type: string, { disabled = false, also = '' } = {}): Promise<string> {
  const { table, plant, change } = CHANGES[type] as Change;
  const name = type.replace('.', '_');
  const id = await plant();
  await database.asOwner('DELETE FROM raised_events WHERE row_id = $1', [id]);
  await owner.query(`ALTER TABLE ${table} DISABLE TRIGGER USER; ALTER TABLE ${table} ENABLE TRIGGER require_${name}`);
  if (!disabled) await owner.query(`ALTER TABLE ${table} ENABLE TRIGGER leave_${name}`);
  try {
    await owner.query('BEGIN');
    await owner.query(change, [id]);
    if (also !== '') await owner.query(also, [database.tenant.environmentId, type, id]);
    await owner.query('COMMIT');
  } finally {
    await owner.query('ROLLBACK');
    await owner.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
  return id;
}

const BY_HAND = `INSERT INTO raised_events (environment_id, type, row_id, snapshot) VALUES ($1, $2, $3, '{}')`;
const EARLIER = `INSERT INTO raised_events (environment_id, type, row_id, snapshot, occurred_at) VALUES ($1, $2, $3, '{}', now() - interval '1 second')`;

describe('where somebody subscribes', () => {
  beforeAll(async () => {
    await subscribeToService(database);
    await database.asOwner(`UPDATE event_subscriptions SET created_at = now() - interval '1 hour'`);
  });
  afterAll(() => database.asOwner('DELETE FROM event_subscriptions; DELETE FROM topics'));

  test.each(TYPES)('%s is left with the change', async (type) => {
    expect(await left(await changed(type))).toEqual([type]);
  });

  test.each(TYPES)('the change of %s without its event is refused at the commit', async (type) => {
    const without = changed(type, { disabled: true });
    await expect(without).rejects.toThrow(new RegExp(`leaves no event ${type} in the outbox`));
    await expect(without).rejects.toMatchObject({ hint: expect.stringContaining('in the same transaction') as string });
  });

  test.each(TYPES)('the event %s of an earlier change does not do for the next one', async (type) => {
    await expect(changed(type, { disabled: true, also: EARLIER })).rejects.toThrow(/leaves no event/);
  });

  test.each(TYPES)('the event %s may be written by hand', async (type) => {
    expect(await left(await changed(type, { disabled: true, also: BY_HAND }))).toEqual([type]);
  });
});

describe('where nobody subscribes', () => {
  const isNotified = (type: string): boolean => (NOTIFIED_EVENT_TYPES as readonly string[]).includes(type);

  test.each(TYPES)('%s is left only where people are notified of it', async (type) => {
    expect(await left(await changed(type))).toEqual(isNotified(type) ? [type] : []);
  });

  test.each(TYPES.filter(isNotified))('the change of %s without its event is refused all the same', async (type) => {
    await expect(changed(type, { disabled: true })).rejects.toThrow(/leaves no event/);
  });

  test.each(TYPES.filter((type) => !isNotified(type)))('%s may change without its event', async (type) => {
    await expect(changed(type, { disabled: true })).resolves.toMatch(/^\w+_/);
  });

  test('or somebody began to at this moment, no change is refused that did not see the subscription', async () => {
    await subscribeToService(database);
    await expect(changed('message.delivered', { disabled: true })).resolves.toMatch(/^msg_/);
    await database.asOwner('DELETE FROM event_subscriptions; DELETE FROM topics');
  });
});

describe('the triggers', () => {
  let raised: { type: string; given: string; guard: boolean }[];
  beforeEach(async () => {
    raised = await database.asOwner(
      `SELECT split_part(encode(t.tgargs, 'escape'), '\\000', 1) AS type, split_part(encode(t.tgargs, 'escape'), '\\000', 2) AS given,
         p.proname = 'require_event' AS guard
       FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
       WHERE t.tgparentid = 0 AND t.tgnargs > 0 AND (p.proname LIKE 'leave_event_of_%' OR p.proname = 'require_event')`,
    );
  });

  test('leave every type', () => {
    const types = raised.filter(({ guard }) => !guard).map(({ type }) => type);
    // The function that begins an epoch leaves it in every environment that has work.
    types.push('database.recovered');
    expect(types.toSorted()).toEqual([...PLATFORM_EVENT_TYPES].toSorted());
  });

  test('leave the types that people are notified of always, and the others where somebody subscribes', () => {
    const wrong = raised.filter(
      ({ type, given }) =>
        !type.startsWith('environment.') &&
        given !== ((NOTIFIED_EVENT_TYPES as readonly string[]).includes(type) ? 'always' : 'heard'),
    );
    expect(wrong).toEqual([]);
  });
});
