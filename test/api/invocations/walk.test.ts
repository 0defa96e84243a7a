import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../db/client.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, effectAtRest, invoke } from './support.ts';

/** How many transactions write on the way of one governed invocation, from its route to its receipt (docs/architecture.md). */

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const WRITING_TRANSACTIONS_MAX = 5;
const WRITES = /\b(INSERT INTO|UPDATE \w+ SET|DELETE FROM|FOR UPDATE|FOR SHARE)\b|pg_notify|take_place|release_place/;
/** Renewed every few seconds while a request lasts: no step of its way. */
const RENEWAL = /^UPDATE idempotency_claims SET lease_expires_at/;

type Work = (tx: { raw: (name: unknown, sql: string, bindings?: unknown) => Promise<unknown> }) => Promise<unknown>;
/** The two ways in which a `Database` sends statements. */
interface Sending {
  transact(scope: unknown, work: Work, options: unknown): Promise<unknown>;
  ask(statement: { text: string }): Promise<unknown>;
}

/** Collects the statements of each transaction of this process, until the test ends. */
function watch(): string[][] {
  const seen: string[][] = [];
  const sending = Database.prototype as unknown as Sending;
  const { transact, ask } = sending;
  onTestFinished(() => void Object.assign(sending, { transact, ask }));
  sending.transact = function (this: Sending, scope, work, options) {
    const statements: string[] = [];
    seen.push(statements);
    const watched: Work = (tx) =>
      work({
        ...tx,
        raw: (name, sql, bindings) => {
          statements.push(sql);
          return tx.raw(name, sql, bindings);
        },
      });
    return transact.call(this, scope, watched, options);
  };
  sending.ask = function (this: Sending, statement) {
    seen.push([statement.text]);
    return ask.call(this, statement);
  };
  return seen;
}

test.each([
  ['with an Idempotency-Key', { 'Idempotency-Key': 'walk' }],
  ['without one', {}],
])('a governed invocation %s', async (_, headers) => {
  await service.call('PUT', '/api/v2/secrets/WALK', { key: service.key, body: { value: 'walked-secret' } });
  const name = await createAction(service, {
    url: `${target.baseUrl}/ok`,
    headers: { 'X-Key': '{{secret:WALK}}' },
  });
  await invoke(service, name); // finds its plans, policies and credentials in the caches
  const seen = watch();
  const { invocation } = await invoke(service, name, { input: {} }, headers);
  await effectAtRest(service, invocation.id);
  const writing = seen.filter((statements) => statements.some((sql) => WRITES.test(sql) && !RENEWAL.test(sql)));
  const shown = writing.map((statements) =>
    statements.map((sql) => sql.replace(/\s+/g, ' ').slice(0, 80)).join('\n  '),
  );
  expect(invocation.status).toBe('succeeded');
  expect(
    writing.length,
    `an invocation has ${WRITING_TRANSACTIONS_MAX} writing transactions at most: join two in a row\n${shown.join('\n')}`,
  ).toBeLessThanOrEqual(WRITING_TRANSACTIONS_MAX);
});
