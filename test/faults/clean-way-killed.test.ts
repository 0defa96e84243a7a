import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RefusalCode } from '../../domain/refusals.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { randomFrom } from '../harness/random.ts';
import { startTarget } from '../harness/target.ts';
import { type Call, Calls, IDEMPOTENCY_HEADER, SECRET, TIGHT_CAP } from './clean-way.ts';
import { inForm } from './form.ts';
import { violatedInvariants } from './invariants.ts';
import { inWords, type Kill, type Shape, untilSessionsEnd, whereItFell } from './kills.ts';
import { untilSeen } from './seen.ts';
import { type ApiProcess, SeparateProcesses } from './separate-processes.ts';

/**
 * SIGKILL at random points of the clean way of an invocation, again and again: of the worker process, and of a process that is API and
 * worker. Each is followed by another process. Callers send each call again until it is answered.
 */

/** Set FAULTS_SEED to a failure's number to run it again. Timing and the machine still influence the run. */
const SEED = Number(process.env['FAULTS_SEED'] ?? randomInt(1_000_000));
/** One kill in `heldEvery` falls while the target holds calls: 2 of 8, and 50 of 250. */
const {
  apart: APART,
  whole: WHOLE,
  heldEvery: HELD_EVERY,
} = inForm({
  short: { apart: 8, whole: 0, heldEvery: 4 },
  full: { apart: 150, whole: 100, heldEvery: 5 },
});
const TIMEOUT_MS = 3_600_000;
const CALLERS = 8;
const HELD_CALLS = 4;
/** A kill falls within this time after the process is ready: while it is still cold, or in its stride. */
const KILLED_WITHIN_MS = 1_200;
/** The last calls are looked at although they are answered: the worker may not have reported their end to Temporal. */
const LAST_CALLS = 20;
/** After the target was seen to hold the calls. */
const HELD_KILLED_WITHIN_MS = 100;
/** What dead processes leave keeps its places until it is settled. Its share is not what is tested here. */
const SETTINGS = { WORKSPACE_DISPATCHES_MAX: '500' };

/**
 * For the last callers. After three attempts that died with their workers, Temporal gives the next one of a workflow task more time, twice as
 * much at each, up to ten minutes: a workflow that was met by ten kills in a row waits that long after the last of them.
 */
const LAST_CALLERS_MS = inForm({ short: PATIENCE_MS, full: 1_200_000 });

const PHASES = ['beforeClaim', 'beforeRecord', 'afterRecord'] as const;
/** A few kills may miss one. */
const MUST_MEET = inForm<string[]>({ short: [], full: [...PHASES] });

const random = randomFrom(SEED);
const kills: Kill[] = [];
const [processes, target, holding] = await Promise.all([SeparateProcesses.start(), startTarget(), startTarget()]);
const client = await processes.temporalClient();
const api = await processes.startApi();
const calls = await Calls.prepare(api, target, holding);

/** A process that takes calls, and how the callers reach it where it is also the API. */
type Start = () => Promise<Pick<ApiProcess, 'program'>>;

const START: Record<Shape, Start> = {
  apart: async () => ({ program: await processes.startWorker(SETTINGS) }),
  whole: async () => (calls.api = await processes.startWhole(SETTINGS)),
};

/** One process after the other takes calls and is killed. Returns the last one, which lives. */
async function killAgainAndAgain(shape: Shape, count: number): Promise<Pick<ApiProcess, 'program'>> {
  const kinds = shape === 'whole' ? (['wide', 'plain'] as const) : (['wide'] as const);
  let since = new Date();
  let running = await START[shape]();
  for (let n = 0; n < count; n++) {
    const stop = calls.keepCalling(CALLERS, kinds);
    if (n % HELD_EVERY === 0) await untilHeld();
    else await delay(random() * KILLED_WITHIN_MS);
    stop();
    const gone = running.program.end('SIGKILL');
    const open = calls.made.filter(({ answer }) => answer === null);
    await gone;
    await untilSessionsEnd(processes, shape);
    // The next process takes longer to start than a look lasts.
    const next = { since: new Date(), running: START[shape]() };
    const looked = new Set([...open, ...calls.made.slice(-LAST_CALLS)]);
    const known = { unanswered: new Set(keysOf(open)), earlier: kills };
    kills.push(await whereItFell({ processes, client, shape, since }, [...looked], known));
    since = next.since;
    running = await next.running;
  }
  return running;
}

async function untilHeld(): Promise<void> {
  const held = Array.from({ length: HELD_CALLS }, () => calls.begin('held'));
  const urls = held.map(({ url }) => url);
  await untilSeen(holding, urls).catch((error: unknown) => {
    const told = held.map(
      ({ operationKey, begunAt, told: last }) => `${operationKey} ${begunAt.toISOString()}: ${last}`,
    );
    throw new Error(`after ${kills.length} kills: ${told.join('; ')}`, { cause: error });
  });
  await delay(random() * HELD_KILLED_WITHIN_MS);
}

const keysOf = (some: readonly Call[]): string[] => some.map(({ operationKey }) => operationKey);

interface Row {
  id: string;
  operationKey: string;
  status: string;
  grade: string;
  effectId: string | null;
}

const invocations = () =>
  processes.database.asOwner<Row>(
    'SELECT id, operation_key AS "operationKey", status, grade, effect_id AS "effectId" FROM invocations ORDER BY 2',
  );

/** The operation keys of the invocations that are unknown for this reason. */
async function unknownFor(reason: RefusalCode): Promise<string[]> {
  const rows = await processes.database.asOwner<{ key: string }>(
    `SELECT operation_key AS key FROM invocations WHERE status = 'unknown' AND refusal_code = $1`,
    [reason],
  );
  return rows.map(({ key }) => key);
}

/** How often each text occurs. */
function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

async function expectNoSecondCall(rows: readonly Row[], said: string): Promise<void> {
  const requests = [...(await target.requests()), ...(await holding.requests())];
  const seen = countsOf(requests.map(({ url }) => url));
  const keys = countsOf(requests.map(({ headers }) => headers[IDEMPOTENCY_HEADER.toLowerCase()] ?? 'none'));
  const twice = [...seen, ...keys].filter(([, count]) => count > 1);
  expect(twice, `second calls: ${said}`).toEqual([]);
  expect(new Set(requests.map(({ headers }) => headers['authorization'])), said).toEqual(new Set([`Bearer ${SECRET}`]));
  const statuses = new Map(rows.map(({ operationKey, status }) => [operationKey, status]));
  const wrong = calls.made.filter(({ operationKey, url, kind }) => {
    const [status, count] = [statuses.get(operationKey), seen.get(url) ?? 0];
    if (status === 'succeeded') return count !== 1;
    return status === 'unknown'
      ? kind === 'held' && count !== 1
      : status !== 'refused' || kind !== 'tight' || count > 0;
  });
  const told = wrong.map(({ operationKey, url }) => [operationKey, statuses.get(operationKey), seen.get(url)]);
  expect(told, `calls whose record and target differ: ${said}`).toEqual([]);
}

/** What counts against a limit is what the effects say. */
async function expectLimits(rows: readonly Row[], said: string): Promise<void> {
  const held = await processes.database.asOwner(
    `SELECT l.name, p.reserved::int, p.settled::int, p.reserved + p.settled <= l.cap AS "isWithin"
     FROM impact_limits l JOIN impact_limit_periods p ON p.limit_id = l.id ORDER BY 1`,
  );
  const statusOf = new Map(rows.map(({ operationKey, status }) => [operationKey, status]));
  const counted = (name: 'wide' | 'tight'): object => {
    const own = calls.made.filter(({ kind }) => kind === name || (name === 'wide' && kind === 'held'));
    const are = (status: string): number =>
      own.filter(({ operationKey }) => statusOf.get(operationKey) === status).length;
    return { name, reserved: are('unknown'), settled: are('succeeded'), isWithin: true };
  };
  expect(held, said).toEqual([counted('tight'), counted('wide')]);
  const refused = rows.filter(({ status }) => status === 'refused').length;
  const tight = calls.made.filter(({ kind }) => kind === 'tight').length;
  expect(refused, `the tight limit was reached: ${said}`).toBe(tight - TIGHT_CAP);
}

test(
  `nothing is sent twice in ${APART + WHOLE} kills, one in ${HELD_EVERY} with the target holding calls (seed ${SEED})`,
  { timeout: TIMEOUT_MS },
  async () => {
    const last = await killAgainAndAgain('apart', APART);
    if (WHOLE > 0) {
      await Promise.all([last.program.end('SIGTERM'), api.program.end('SIGTERM')]);
      await killAgainAndAgain('whole', WHOLE);
    }
    const said = `${inWords(kills)}; ${calls.made.length} calls; seed ${SEED}`;
    const open = () =>
      calls.made.filter(({ answer }) => answer === null).map(({ operationKey, told }) => [operationKey, told]);
    await expect
      .poll(open, { message: `every caller is answered: ${said}`, interval: 250, timeout: LAST_CALLERS_MS })
      .toEqual([]);
    const answers = await Promise.all(calls.made.map(({ answered }) => answered));
    // The reads of what is unknown go on, and take places of their own.
    await expect
      .poll(() => processes.database.asOwner(`SELECT holder FROM lane_places WHERE kind = 'dispatch'`), {
        message: said,
      })
      .toEqual([]);

    const rows = await invocations();
    const answered = answers.map(({ id, operationKey, status, grade, effectId }) => ({
      id,
      operationKey,
      status,
      grade,
      effectId,
    }));
    const byKey = (one: { operationKey: string }, other: { operationKey: string }): number =>
      one.operationKey < other.operationKey ? -1 : 1;
    expect(rows.sort(byKey), `each answer is what the record says: ${said}`).toEqual(answered.sort(byKey));
    await expectNoSecondCall(rows, said);
    const underWay = new Set(kills.flatMap(({ beforeRecord }) => beforeRecord));
    // On a busy machine the answer to another may come too late.
    const lost = new Set(await unknownFor('worker_lost'));
    expect(lost, `lost is what was killed between claim and record: ${said}`).toEqual(underWay);
    await expectLimits(rows, said);
    expect(await violatedInvariants(processes.database), said).toEqual({});
    console.log(said);
    const met = PHASES.filter((phase) => kills.some((kill) => kill[phase].length > 0));
    expect(met, `each phase was met: ${said}`).toEqual(expect.arrayContaining(MUST_MEET));
  },
);
