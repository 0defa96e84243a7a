import { expect, test } from 'vitest';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { endAttempt, type Outcome, startAttempt } from '../../../db/messages/attempts.ts';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { lockMessage, type MessageWork } from '../../../db/messages/lock-message.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plainMessage } from './plain-message.ts';

const database = await createTestDatabase({ poolMax: 1 });

const within = <T>(work: (tx: EnvironmentTransaction) => Promise<T>) =>
  database.db.withEnvironment(database.tenant, work);
const DELIVERED: Outcome = { kind: 'delivered' };
const LOST: Outcome = { kind: 'retry', error: 'the worker was lost', delayMs: 1_000 };

async function locked(tx: EnvironmentTransaction, id: string): Promise<MessageWork> {
  const work = await lockMessage(tx, id);
  if (work === null) throw new Error('the message is not there');
  return work;
}
const end = (id: string, outcome: Outcome) =>
  within(async (tx) => {
    const seen = { status: outcome.kind === 'delivered' ? 200 : null, headers: null, body: null };
    const error = outcome.kind === 'retry' ? outcome.error : null;
    const status = outcome.kind === 'delivered' ? ('completed' as const) : ('abandoned' as const);
    const closing = { status, seen, failure: null, error, address: null, latencyMs: null };
    return endAttempt(tx, await locked(tx, id), 1, closing, outcome);
  });
const record = (id: string) =>
  database.asOwner(
    `SELECT m.status, m.response_status AS response, a.status AS attempt FROM messages m JOIN message_attempts a ON a.message_id = m.id WHERE m.id = $1`,
    [id],
  );

test('the first end of an attempt counts, and a later one changes nothing', async () => {
  const id = newId('message');
  await within(async (tx) => {
    await insertMessages(tx, [plainMessage({ id, maxRetries: 3 })]);
    await startAttempt(tx, await locked(tx, id), 'worker');
  });
  expect(await end(id, LOST)).toBe(true);
  expect(await record(id)).toEqual([{ status: 'processing', response: null, attempt: 'abandoned' }]);
  expect(await end(id, DELIVERED)).toBe(false);
  expect(await record(id)).toEqual([{ status: 'processing', response: null, attempt: 'abandoned' }]);
});
