import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { recordPatiently } from '../record-patiently.ts';
import { refusesContent } from '../refuses-content.ts';
import { tellPatiently } from '../try-again.ts';
import type { EndedAttempt, SettledAttempt } from './send-attempt.ts';
import { settleEnded, type Taken } from './settle-attempts.ts';
import { startWaitingFiring } from './start-waiting-firing.ts';

export type DeliveryDependencies = Pick<
  ActivityDependencies,
  | 'db'
  | 'vault'
  | 'sendRequest'
  | 'watchdog'
  | 'logger'
  | 'inFlightCaps'
  | 'heartbeatTimeoutMs'
  | 'wakeMessage'
  | 'tellMessage'
  | 'paceMessages'
  | 'startFiring'
>;

/** So many results in one transaction, whose responses are held in memory together. */
const SETTLED_AT_ONCE_MAX = 100;

interface Waiting {
  attempt: EndedAttempt;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** A claim that goes with a settlement. */
export interface ClaimAlong {
  claim: (tx: EnvironmentTransaction) => Promise<Taken>;
  /** `taken` is null when nothing was claimed. */
  end: (taken: Taken | null) => void;
}

/** Records the ends of attempts, for each environment all that wait in one transaction, while the next ones end. */
export class AttemptSettler {
  readonly #deps: DeliveryDependencies;
  readonly #claimAlong: (tenant: Tenant) => ClaimAlong | null;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #following = new Set<Promise<void>>();

  constructor(deps: DeliveryDependencies, claimAlong: (tenant: Tenant) => ClaimAlong | null = () => null) {
    this.#deps = deps;
    this.#claimAlong = claimAlong;
  }

  /** Ends when the attempt's end is on record. Rejects where it cannot be recorded for some seconds. */
  settle(tenant: Tenant, attempt: EndedAttempt): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(tenant.environmentId);
      if (waiting !== undefined) {
        waiting.push({ attempt, resolve, reject });
        return;
      }
      const first = [{ attempt, resolve, reject }];
      this.#waiting.set(tenant.environmentId, first);
      void this.#settleAll(tenant, first);
    });
  }

  /** Ends when everybody is told of what was settled before. */
  async drained(): Promise<void> {
    await Promise.all(this.#following);
  }

  async #settleAll(tenant: Tenant, waiting: Waiting[]): Promise<void> {
    let oneByOne = 0;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, oneByOne > 0 ? 1 : SETTLED_AT_ONCE_MAX);
      oneByOne--;
      const along = this.#claimAlong(tenant);
      try {
        const ended = batch.map(({ attempt }) => attempt);
        const { settled, taken } = await recordEnds(this.#deps, tenant, ended, along?.claim ?? null);
        along?.end(taken);
        this.#follow(tenant, settled);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        along?.end(null);
        if (batch.length > 1 && refusesContent(error)) {
          // What one of them saw cannot be stored: it must not cost the others their records.
          waiting.unshift(...batch);
          oneByOne = batch.length;
        } else {
          for (const { reject } of batch) reject(error);
        }
      }
    }
    this.#waiting.delete(tenant.environmentId);
  }

  #follow(tenant: Tenant, settled: readonly SettledAttempt[]): void {
    const following = followUp(this.#deps, tenant, settled).finally(() => this.#following.delete(following));
    this.#following.add(following);
  }
}

async function recordEnds(
  deps: DeliveryDependencies,
  tenant: Tenant,
  ended: readonly EndedAttempt[],
  claim: ClaimAlong['claim'] | null,
): Promise<{ settled: SettledAttempt[]; taken: Taken | null }> {
  let tries = 0;
  return recordPatiently(deps, tenant, () => {
    const isRepeat = tries++ > 0;
    return deps.db.withEnvironment(tenant, (tx) => settleEnded(tx, deps, tenant, ended, { isRepeat, claim }));
  });
}

/**
 * Tells the workflows of messages what has become of them, and lets the runs of schedules begin that waited for an end. Nobody need hear it: a
 * message whose workflow was not told is claimed half a minute after its next attempt was due, its workflow looks by itself, and the sweep
 * finds the run. Never rejects.
 */
export async function followUp(
  deps: DeliveryDependencies,
  { workspaceId, environmentId }: Tenant,
  settled: readonly SettledAttempt[],
): Promise<void> {
  const tell = async ({ work: { id: messageId }, outcome, hasWorkflow }: SettledAttempt): Promise<void> => {
    const ref = { messageId, workspaceId, environmentId };
    const waits = outcome.kind === 'retry' && !outcome.isAgain;
    if (!waits && !hasWorkflow) return;
    try {
      await tellPatiently(() => (waits ? deps.wakeMessage(ref) : deps.tellMessage(messageId)));
    } catch (error) {
      deps.logger.warn({ ...ref, err: error }, 'could not tell the workflow of a message: it looks by itself');
    }
  };
  const ended = settled.filter(({ outcome }) => outcome.kind !== 'retry');
  const scheduleIds = new Set(ended.flatMap(({ work }) => work.scheduleId ?? []));
  await Promise.all([
    ...settled.map(tell),
    ...[...scheduleIds].map((scheduleId) => startWaitingFiring(deps, { workspaceId, environmentId }, scheduleId)),
  ]);
}
