import { expect, test } from 'vitest';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { admitInvocation, withdrawInvocation } from '../../../db/invocations/admission.ts';
import { createRun } from '../../../db/runs/changes.ts';
import { getSpan, upsertSpans } from '../../../db/runs/spans.ts';
import { spanIdOf } from '../../../db/runs/records.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plantAction } from '../actions/planted-rows.ts';

/** The span of an invocation is written with its admission, and shows the state of the invocation. */

const transaction = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(database.tenant, work);

const database = await createTestDatabase();
const owner = await database.connectOwner();
const action = await plantAction(owner, database.tenant);
const nothing = { name: null, agentId: null, agentVersion: null, userId: null, application: null };
const run = { ...nothing, input: null, tags: null, metadata: null, traceId: null, startedAt: null };
const runId = (await transaction((tx) => createRun(tx, run))).id;
const spanOf = (invocationId: string) => transaction((tx) => getSpan(tx, runId, spanIdOf(invocationId)));
const admit = async (): Promise<string> => {
  const made = { operationKey: null, requestDigest: 'sha256:0', input: {}, retryOf: null, agentId: null, runId };
  const requestedBy = { type: 'api_key', id: 'key_test' } as const;
  const { id } = await transaction((tx) => admitInvocation(tx, { ...action, ...made, requestedBy }));
  return id;
};

test.each([
  ['queued', 'running', null],
  ['unknown', 'running', 'a_code'],
  ['succeeded', 'succeeded', null],
  ['cancelled', 'cancelled', 'a_code'],
  ['failed', 'failed', 'a_code'],
  ['refused', 'failed', 'a_code'],
  ['denied', 'failed', 'a_code'],
  ['expired', 'failed', 'a_code'],
])('the span of an invocation that is %s is %s', async (status, shown, code) => {
  const id = await admit();
  const refusal = code === null ? '' : `, refusal_code = '${code}', refusal_details = '{}', error = 'Why.'`;
  await database.asOwner(
    `SET session_replication_role = 'replica'; UPDATE invocations SET status = '${status}', outcome_source = 'system',
       settled_at = created_at + interval '1 second'${refusal} WHERE id = '${id}'`,
  );
  const span = await spanOf(id);
  expect(span).toMatchObject({ status: shown, invocationId: id });
  expect(span?.error).toEqual(code === null ? null : { code, message: 'Why.' });
  expect(span?.attributes).toMatchObject({ 'service.invocation.status': status });
  const lasted = span?.endedAt === null ? null : Number(span?.endedAt) - Number(span?.startedAt);
  expect(lasted).toBe(shown === 'running' ? null : 1_000);
});

test('an admission that is withdrawn leaves no span', async () => {
  const id = await admit();
  expect(await spanOf(id)).not.toBeNull();
  expect(await transaction((tx) => withdrawInvocation(tx, id))).toBe(true);
  expect(await spanOf(id)).toBeNull();
});

test('a span that was sent before the admission, by the id of a preview, becomes that of the invocation', async () => {
  const invocationId = newId('invocation');
  const state = { status: 'succeeded', startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:01Z' } as const;
  const sent = { sentStatus: 'succeeded', isStartSent: true, isEndSent: true, attributes: { mine: 1 } } as const;
  const span = { id: spanIdOf(invocationId), name: 'mine', ...state, ...sent };
  await transaction((tx) => upsertSpans(tx, runId, [span]));
  const made = { operationKey: null, requestDigest: 'sha256:0', input: {}, retryOf: null, agentId: null, runId };
  const requestedBy = { type: 'api_key', id: 'key_test' } as const;
  const preview = { id: newId('preview'), invocationId };
  await database.asOwner('ALTER TABLE invocations DISABLE TRIGGER ALL');
  await transaction((tx) => admitInvocation(tx, { ...action, ...made, requestedBy, preview }));
  await database.asOwner('ALTER TABLE invocations ENABLE TRIGGER ALL');
  expect(await spanOf(invocationId)).toMatchObject({
    name: expect.stringMatching(/^planted-/) as string,
    kind: 'action',
    status: 'running',
    endedAt: null,
    invocationId,
    attributes: { mine: 1, 'service.invocation.status': 'queued' },
  });
});
