import {
  countRecoveredWork,
  openEpoch,
  readRecoveries,
  type RecoveredWork,
  type Recovery,
  releaseRecovery,
} from '../../db/epochs/epochs.ts';
import type { Database } from '../../db/client.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from '../with-database.ts';

const USAGE = 'Usage: npm run recovery -- show | release | open';

const WHY: Record<Recovery['reason'], string> = {
  first: 'the first epoch',
  timeline: 'a standby was promoted, or a backup was restored to a point in time',
  system_identifier: 'another cluster: a dump was restored, or pg_upgrade ran',
  log_position: 'the log is behind what a process has seen: a copy of the disks was put back',
  operator: 'an operator said so',
};

/**
 * `npm run recovery`: what a failover or a restore of the database has left (docs/ha.md). `open` is for a restore that PostgreSQL cannot
 * tell from a restart: a copy of its disks that was put back.
 */
await runCommand(USAGE, { allowPositionals: true }, async (configuration, { positionals }) => {
  const [verb, ...rest] = positionals;
  if (!(verb === 'show' || verb === 'release' || verb === 'open') || rest.length > 0) throw new Error(USAGE);
  return withDatabase(databaseOf(configuration).applicationUrl, 'recovery', async (db) => {
    if (verb === 'open') await openEpoch(db, 'operator', false);
    const released = verb === 'release' ? await releaseRecovery(db) : null;
    const lines = await shown(db);
    return [...(released === null ? [] : [`Released ${released} of the recoveries.`]), ...lines].join('\n');
  });
});

async function shown(db: Database): Promise<string[]> {
  const [recoveries, work] = [await readRecoveries(db), await countRecoveredWork(db)];
  return [...recoveries.map(lineOf), ...linesOf(work)];
}

function lineOf({ timeline, systemIdentifier, reason, recovery, firstSeen, releasedAt }: Recovery): string {
  const state = {
    none: '',
    note: ' Noted: commits had waited for a standby, and its log goes on behind what was seen.',
    open: ' OPEN.',
    released: ` Released at ${releasedAt?.toISOString()}.`,
  }[recovery];
  return `${firstSeen.toISOString()}  timeline ${timeline} of ${systemIdentifier}: ${WHY[reason]}.${state}`;
}

function linesOf({ unknown, held, waiting }: RecoveredWork): string[] {
  return [
    `${unknown} invocations are unknown because of a recovery: they are read back, or a person resolves them.`,
    `${held} invocations are held, and will be unknown when they are taken up.`,
    `${waiting} approvals were asked for before a recovery. A new decision sends what may have been sent before: look at the provider first.`,
  ];
}
