import { expect, test } from 'vitest';
import type { DispatchInput, DispatchResult } from '../../activities/adapters/adapter.ts';
import type { SendRequest } from '../../activities/adapters/http-request/send-request.ts';
import { publishBody } from '../../api/messages/body-schemas.ts';
import { acceptMessages, type Publisher } from '../../db/messages/accept/accept-messages.ts';
import { startReplay } from '../../db/attempts/replays.ts';
import { readUsage } from '../../db/plans/plans.ts';
import { httpRequestDescriptor } from '../../domain/adapters/http-request.ts';
import { ACCEPTED, activityEnvironment, ActivityWorld, adapterThat, type Loss } from './invocations/world.ts';
import { answering, attemptDue } from './messages/attempts.ts';

const BYTES = 1_234;

const world = await ActivityWorld.start();

const used = async (): Promise<number> =>
  (await world.database.db.withWorkspace(world.database.tenant.workspaceId, readUsage)).egress;

/** How much the month's egress grows during `work`. */
async function spent(work: () => Promise<unknown>): Promise<number> {
  const before = await used();
  await work();
  return (await used()) - before;
}

const metered = (result: DispatchResult) => (input: DispatchInput) => {
  if (input.egress) input.egress.bytes += BYTES;
  return Promise.resolve(result);
};
const lost: DispatchResult = { kind: 'no_answer', reason: 'reset' };

/** The first transaction claims, the second records. The listed tries of the recording are lost, and it is done again. */
const RECORDINGS: [string, Loss[]][] = [
  ['recorded at once', []],
  ['lost before its commit', [null, 'before_commit', 'before_commit']],
  ['committed, and the word of it lost', [null, 'after_commit']],
];

test.each(RECORDINGS)('a dispatch, %s, counts its bytes once', async (_, losses) => {
  const ref = await world.ready();
  const { adapterFor } = adapterThat(metered(ACCEPTED));
  const { dispatchEffect } = world.losing(losses, { adapterFor });
  expect(await spent(() => dispatchEffect(ref))).toBe(BYTES);
  expect(await spent(() => dispatchEffect(ref))).toBe(0); // claimed before: nothing is sent
});

test('an unusable answer, and one that comes too late, were bytes too', async () => {
  const [unanswered, late] = [await world.ready(), await world.ready()];
  const noAnswer = world.activities(adapterThat(metered(lost)));
  expect(await spent(() => noAnswer.dispatchEffect(unanswered))).toBe(BYTES);
  const { adapterFor } = adapterThat(async (input) => {
    await world.activities().settleInvocation(late); // abandons the attempt
    return metered(ACCEPTED)(input);
  });
  const tooLate = world.losing([null, 'after_commit'], { adapterFor });
  expect(await spent(async () => expect(await tooLate.dispatchEffect(late)).toEqual({ seen: 'too_late' }))).toBe(BYTES);
});

test.each(RECORDINGS)('a replay, %s, counts its bytes once', async (_, losses) => {
  const ref = await world.admit();
  const adapter = {
    descriptor: {
      ...httpRequestDescriptor,
      capabilitiesFor: (definition: DispatchInput['definition']) => ({
        ...httpRequestDescriptor.capabilitiesFor(definition),
        replay: true,
        idempotencyWindowSeconds: 3_600,
      }),
    },
    dispatch: metered(lost),
    readBack: () => Promise.reject(new Error('nothing is read here')),
  };
  const adapterFor = () => adapter;
  const first = world.activities({ adapterFor });
  const evaluation = await first.judgeInvocation(ref);
  if (evaluation.next !== 'send') throw new Error(evaluation.next);
  await first.dispatchEffect({ ...ref, settles: true });
  const attemptId = await world.transaction((tx) => startReplay(tx, ref.invocationId));
  const replay = { ...ref, effectId: evaluation.effectId ?? '', attemptId };
  const { sendReplay } = world.losing(losses, { adapterFor });
  expect(await spent(() => activityEnvironment().run(sendReplay, replay))).toBe(BYTES);
});

/** Accepted, and due. */
async function accept(): Promise<void> {
  const { tenant } = world.database;
  const publisher: Publisher = {
    tenant,
    publishedBy: { type: 'api_key', id: 'key_test' },
    apiKeyId: 'key_test',
    publishesWhileHalted: false,
  };
  const body = publishBody.parse({ url: 'https://hooks.example.com/', maxRetries: 1, retryDelay: '0' });
  await world.transaction((tx) => acceptMessages(tx, world.vault, publisher, [{ request: body }]));
}

test.each(RECORDINGS)('an attempt of a delivery, %s, counts its bytes once', async (_, [, ...recording]) => {
  await accept();
  const statuses = [500, 200];
  const sendRequest: SendRequest = (request, limit, limits) => {
    if (limits.egress) limits.egress.bytes += BYTES;
    return answering(statuses.shift() ?? 200)(request, limit, limits);
  };
  const attempt = async (): Promise<void> => {
    await attemptDue(world, { db: world.losingDatabase(recording), sendRequest });
    await world.database.asOwner(`UPDATE lane_queue SET state = 'ready'`); // the wait of the retry is over
  };
  expect(await spent(attempt)).toBe(BYTES); // answered with 500
  expect(await spent(attempt)).toBe(BYTES); // the retry, which is delivered
  expect(await spent(attempt)).toBe(0); // nothing is left to send
});
