import { expect } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { type Effect, effectAtRest, invocationIn } from '../../api/invocations/support.ts';
import type { CommonFault, ProviderServer } from '../../harness/providers/provider-server.ts';
import type { TestService } from '../../harness/service.ts';
import { inForm } from '../form.ts';
import { randomFrom } from '../../harness/random.ts';

/** Runs several operations against a fake that fails on demand, and checks what must be true of every effect afterwards. */

/** The provider's own records under an effect id. */
export interface Truth {
  made: number;
  /** The state of the provider's records. */
  state: 'succeeded' | 'pending' | 'failed';
}

export interface ProviderUnderTest<Fault extends string> {
  server: ProviderServer<Fault>;
  /** Name of the action; its time-out is short. */
  action: string;
  /** The one impact limit that applies to it, and the amount that each effect reserves. */
  limitId: string;
  amount: number;
  /** The same input for every operation of a run: equal effects under different keys. */
  input(): JsonObject;
  truthOf(effectId: string): Truth;
  /** Whether this write was for that effect. */
  isWriteFor(request: ProviderServer<Fault>['requests'][number], effectId: string): boolean;
  /** True if a 2xx only accepts the work: the provider's record may show a failure later. */
  takes?: boolean;
  /** How often a fault lets someone else copy the record. */
  copies?(fault: Fault | CommonFault): number;
  replays: boolean;
}

const READ_FAULTS: readonly CommonFault[] = ['unavailable', 'rate_limited', 'malformed_reply', 'reset_after_body'];
/** The second read finds what a read that failed or came too early did not. */
const ROUNDS = 2;
const SEEDS = inForm({ short: [1], full: [1, 2, 3] });
const OPERATIONS_MIN = 2;
export const EFFECTS_MIN = OPERATIONS_MIN * SEEDS.length;

/** Deterministic: the same seed makes the same run. */
function randomOf(seed: number): (below: number) => number {
  const random = randomFrom(seed);
  return (below) => Math.floor(random() * below);
}

/** The runs of each seed, run concurrently. Returns how many effects were checked, at least `EFFECTS_MIN`. */
export async function runSeeds<Fault extends string>(
  service: TestService,
  provider: ProviderUnderTest<Fault>,
  fault: Fault | CommonFault,
): Promise<number> {
  provider.server.calm();
  const checked = await allOf(SEEDS.map((seed) => runOperations(service, provider, fault, seed)));
  provider.server.calm();
  return checked.reduce((sum, effects) => sum + effects, 0);
}

/** All runs end before the first failure is thrown; a run that continued would meet the faults of the next. */
async function allOf<T>(work: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * Two or three operations at once, each requested several times under its own key. Some writes fail with `fault`,
 * some reads too. Then come reads, a replay if one is offered, and reads again. Returns
 * the number of effects, all of which were checked.
 */
async function runOperations<Fault extends string>(
  service: TestService,
  provider: ProviderUnderTest<Fault>,
  fault: Fault | CommonFault,
  seed: number,
): Promise<number> {
  const random = randomOf(seed);
  const operations = OPERATIONS_MIN + random(2);
  provider.server.failNext(fault, 1 + random(operations));
  for (let n = random(3); n > 0; n--)
    provider.server.failReads(READ_FAULTS[random(READ_FAULTS.length)] ?? 'unavailable');
  const input = provider.input();
  const run = `${provider.action}/${fault}/${seed}`;
  const ids = await Promise.all(
    Array.from({ length: operations }, async (_, n) => {
      const asked = Array.from({ length: 1 + random(3) }, () =>
        service.post(`/api/v2/actions/${provider.action}/invoke`, { input, operationKey: `${run}/${n}` }),
      );
      const invocations = (await Promise.all(asked)).map((reply) => invocationIn(reply));
      expect(new Set(invocations.map(({ id }) => id)).size, `${run}: one invocation for one key`).toBe(1);
      return invocations[0]?.id ?? '';
    }),
  );
  // Drawn before anything runs concurrently, so that the same seed makes the same run.
  const replaying = ids.map(() => provider.replays && random(2) === 1);
  await allOf(ids.map((id, n) => followUp(service, provider, fault, { run, id, mayReplay: replaying[n] === true })));
  return ids.length;
}

/** Determines the outcome of one operation, and checks it against the provider's own records. */
async function followUp<Fault extends string>(
  service: TestService,
  provider: ProviderUnderTest<Fault>,
  fault: Fault | CommonFault,
  { run, id, mayReplay }: { run: string; id: string; mayReplay: boolean },
): Promise<void> {
  let effect = await readsOf(service, id);
  const effectId = effect.id;
  const replays = mayReplay && effect.grade === 'unknown' ? 1 : 0;
  if (replays > 0) {
    await service.post(`/api/v2/actions/effects/${effectId}/replay`, undefined);
    effect = await readsOf(service, id);
  }
  provider.server.release();
  const copies = provider.copies?.(fault) ?? 0;
  checkEffect(run, effect, provider.truthOf(effectId), { copies, takes: provider.takes ?? false });
  checkAllowance(run, effect, provider);
  const writes = provider.server.writes().filter((request) => provider.isWriteFor(request, effectId));
  expect(writes.length, `${run}: sent once, and once for each replay`).toBeLessThanOrEqual(1 + replays);
}

/** Reads the effect back until it is settled, with a limit on the number of reads. */
async function readsOf(service: TestService, invocationId: string): Promise<Effect> {
  let effect = await effectAtRest(service, invocationId);
  for (let round = 0; round < ROUNDS && effect.stage === 'reconciling'; round++) {
    await service.post(`/api/v2/actions/effects/${effect.id}/reconcile`, undefined);
    effect = await effectAtRest(service, invocationId);
  }
  return effect;
}

/** Checks that there is at most one effect, and that the provider's own record confirms every claim. */
function checkEffect(
  run: string,
  effect: Effect,
  truth: Truth,
  { copies, takes }: { copies: number; takes: boolean },
): void {
  const about = `${run}: ${effect.id} is ${effect.grade}, the provider holds ${JSON.stringify(truth)}`;
  expect(truth.made, about).toBeLessThanOrEqual(1 + copies);
  switch (effect.grade) {
    case 'confirmed':
    case 'acknowledged':
      expect(truth.state === 'succeeded' || (takes && effect.grade === 'acknowledged'), about).toBe(true);
      expect(truth.made, about).toBeGreaterThanOrEqual(1);
      break;
    case 'failed':
      expect(truth.made === 0 || truth.state === 'failed', about).toBe(true);
      break;
    case 'refused':
      expect(truth.made, about).toBe(0);
      break;
    case 'pending':
      expect(truth, about).toEqual({ made: 1, state: 'pending' });
      break;
    case 'unknown':
      expect(effect, about).toMatchObject({ stage: 'reconciling', outcome: 'unknown', partialEffect: 'possible' });
      break;
    default:
      throw new Error(`${about}, which is no end`);
  }
}

/** A reservation is held while the outcome is unknown, used by a success, and released on proof that nothing happened. */
const PLACE: Readonly<Record<string, Partial<Effect['reservations'][number]>>> = {
  unknown: { state: 'reserved', exposure: 'unknown' },
  pending: { state: 'reserved', exposure: 'pending' },
  confirmed: { state: 'settled', exposure: null },
  acknowledged: { state: 'settled', exposure: null },
  failed: { state: 'released', exposure: null },
};

function checkAllowance(run: string, effect: Effect, { limitId, amount }: { limitId: string; amount: number }): void {
  const about = `${run}: ${effect.id} is ${effect.grade}`;
  expect(effect.unresolvedExposure, about).toBe(effect.grade === 'unknown' || effect.grade === 'pending');
  // An invocation refused before the reservation has none.
  const place = PLACE[effect.grade];
  expect(effect.reservations, about).toMatchObject(place === undefined ? [] : [{ limitId, amount, ...place }]);
}
