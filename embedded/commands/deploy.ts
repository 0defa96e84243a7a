import { Client } from '@temporalio/client';
import { current, keep, move, prune, ramp, rollback, status } from '../../process/deployments/deploy.ts';
import { namespaceOptions } from '../../process/payload-sealing.ts';
import { withTemporal } from '../with-temporal.ts';
import { runCommand } from './run-command.ts';

const USAGE = `Usage: npm run deploy -- <command>
  status                        each version of the workers, its state, and its open workflows
  current <build id> [--wait]   gives it new work; --wait: once its workers poll
  ramp <build id> <percentage>  gives it a share of the workflows
  rollback [build id]           ends the ramp, or makes the version before the current one again
  keep <build id>               keeps its open workflows with it, as a rollback does that was cut off
  move <build id>               gives the open workflows of a version whose workers are gone to the current one
  prune                         deletes the versions that are drained`;
const ARGUMENTS = { allowPositionals: true, options: { wait: { type: 'boolean' } } } as const;

/** `npm run deploy`: which version of the workers has which work (docs/upgrades.md). */
await runCommand(USAGE, ARGUMENTS, async (configuration, { positionals, values }) => {
  const run = commandOf(positionals, values.wait === true);
  if (run === null) throw new Error(USAGE);
  return withTemporal(configuration, (connection) =>
    run(new Client({ connection, ...namespaceOptions(configuration) })),
  );
});

function commandOf(words: readonly string[], wait: boolean): ((client: Client) => Promise<string>) | null {
  const [name, buildId, percentage] = words;
  if (name === 'status' && words.length === 1) return status;
  if (name === 'prune' && words.length === 1) return prune;
  if (name === 'rollback' && words.length <= 2) return (client) => rollback(client, buildId ?? null);
  if (buildId === undefined) return null;
  if (name === 'current' && words.length === 2) return (client) => current(client, buildId, wait);
  if (name === 'keep' && words.length === 2) return (client) => keep(client, buildId);
  if (name === 'move' && words.length === 2) return (client) => move(client, buildId);
  if (name !== 'ramp' || percentage === undefined || !/^\d{1,2}(\.\d+)?$|^100$/.test(percentage)) return null;
  return (client) => ramp(client, buildId, Number(percentage));
}
