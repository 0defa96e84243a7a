import type { Client } from '@temporalio/client';
import { KeptWorkflows } from './kept-workflows.ts';
import { countOpen, sendEveryOpen } from './open-workflows.ts';
import { deleteVersion, type Deployment, readDeployment, setCurrent, setRamp } from './worker-deployment.ts';

/** How long `--wait` waits for the workers of a version, and how often it looks. */
const WAIT_MS_MAX = 600_000;
const LOOK_INTERVAL_MS = 2_000;

const NOBODY =
  'No worker with a build id has polled this namespace yet. Start the workers with WORKER_BUILD_ID, then try again.';

/** What operators do with the versions of the workers. Each returns what it says. */
export async function status(client: Client): Promise<string> {
  const deployment = await readDeployment(client);
  if (deployment === null) return NOBODY;
  const { versions, rampPercentage } = deployment;
  const lines = await Promise.all(
    versions.map(async ({ buildId, state, createdAt }) => {
      const open = await countOpen(client, buildId);
      const share = state === 'ramping' ? ` ${rampPercentage} %` : '';
      return [buildId, `${state}${share}`, `${open} open`, `since ${createdAt?.toISOString() ?? '-'}`].join('\t');
    }),
  );
  const unversioned = deployment.currentBuildId === null ? ['Workers without a build id take new work.'] : [];
  return [...unversioned, ...lines].join('\n');
}

/** New workflows go to this version, and those that upgrade by themselves at their next task. */
export async function current(client: Client, buildId: string, wait: boolean): Promise<string> {
  const change = async (): Promise<void> => {
    const deployment = await needed(client);
    if (deployment.currentBuildId !== buildId) await setCurrent(client, buildId, deployment);
  };
  for (const until = Date.now() + (wait ? WAIT_MS_MAX : 0); ;) {
    try {
      await change();
      return `${buildId} is the current version.`;
    } catch (error) {
      // Its workers do not poll yet, or not each of its queues.
      if (Date.now() >= until) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
    }
  }
}

/** A share of the workflows, chosen by their ids, goes to this version. */
export async function ramp(client: Client, buildId: string, percentage: number): Promise<string> {
  const deployment = await needed(client);
  if (percentage === 0) throw new Error('A ramp of 0 would leave what it began: run `rollback`.');
  await setRamp(client, buildId, percentage, deployment);
  return `${buildId} takes ${percentage} % of the workflows, ${deployment.currentBuildId ?? 'workers without a build id'} the others.`;
}

/**
 * Ends a ramp; without one, makes the version before the current one again. The workflows that already ran on the new version stay with
 * it, since the code before need not replay what it recorded: keep its workers until `status` says `drained`.
 */
export async function rollback(client: Client, buildId: string | null): Promise<string> {
  const deployment = await needed(client);
  const { rampingBuildId, currentBuildId } = deployment;
  const from = rampingBuildId ?? currentBuildId;
  const to = rampingBuildId === null ? (buildId ?? versionBefore(deployment)) : currentBuildId;
  if (from === null || (to === null && rampingBuildId === null))
    throw new Error('There is no version to go back to. Name one: `rollback <build id>`.');
  if (from === to) throw new Error(`${to} is the current version already.`);
  const kept = new KeptWorkflows(client, from);
  // Most of them before the change. A task that the older code gets in between fails, and sends nothing.
  await kept.round();
  if (rampingBuildId !== null) await setRamp(client, rampingBuildId, 0, await needed(client));
  else if (to !== null) await setCurrent(client, to, await needed(client));
  return `${to ?? 'Workers without a build id'} takes new work. ${await keepEvery(kept, from)}`;
}

/** Ends what a rollback that was cut off left to do, or did not see. */
export async function keep(client: Client, buildId: string): Promise<string> {
  const { currentBuildId, rampingBuildId } = await needed(client);
  if (buildId === currentBuildId || buildId === rampingBuildId)
    throw new Error(`${buildId} takes new work, so nothing has to be kept with it.`);
  return keepEvery(new KeptWorkflows(client, buildId), buildId);
}

async function keepEvery(kept: KeptWorkflows, buildId: string): Promise<string> {
  const { workflows, left } = await kept.untilQuiet();
  const stay = `${workflows} open workflows stay with ${buildId}: keep its workers until it is drained.`;
  return left === 0 ? stay : `${stay} ${left} of them are held up by a call: run \`keep ${buildId}\` in a minute.`;
}

/** Gives the open workflows of a version whose workers are gone to the current one. They go on where its code replays them. */
export async function move(client: Client, buildId: string): Promise<string> {
  const { currentBuildId } = await needed(client);
  if (buildId === currentBuildId) throw new Error(`${buildId} is the current version.`);
  return `${await sendEveryOpen(client, buildId)} open workflows of ${buildId} go to the current version.`;
}

/** Deletes what is drained, or was never given work and has no workers. Temporal takes a hundred versions, and refuses the next. */
export async function prune(client: Client): Promise<string> {
  const { versions } = await needed(client);
  const old = versions.filter(({ state }) => state === 'drained' || state === 'created' || state === 'inactive');
  const results = await Promise.all(
    old.map(({ buildId }) =>
      deleteVersion(client, buildId).then(
        () => `${buildId}: deleted`,
        (error: unknown) => `${buildId}: kept: ${error instanceof Error ? error.message : String(error)}`,
      ),
    ),
  );
  return results.length === 0 ? 'No version is drained.' : results.join('\n');
}

async function needed(client: Client): Promise<Deployment> {
  const deployment = await readDeployment(client);
  if (deployment === null) throw new Error(NOBODY);
  return deployment;
}

/** Returns the one that was current last and is older than the current one: a second rollback must not bring back what the first took away. */
function versionBefore({ versions, currentBuildId }: Deployment): string | null {
  const since = Number(versions.find(({ buildId }) => buildId === currentBuildId)?.createdAt ?? 0);
  const before = versions.filter(({ createdAt, lastCurrentAt }) => Number(createdAt) < since && lastCurrentAt !== null);
  const [latest] = before.toSorted((a, b) => Number(b.lastCurrentAt) - Number(a.lastCurrentAt));
  return latest?.buildId ?? null;
}
