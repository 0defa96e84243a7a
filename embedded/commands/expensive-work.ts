import { readExpensiveWorkPause, setExpensiveWorkPause } from '../../db/plans/expensive-work.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from '../with-database.ts';

const USAGE = 'Usage: npm run expensive-work -- pause --reason "<for the callers to read>" | resume | status';
const ARGUMENTS = { options: { reason: { type: 'string' } }, allowPositionals: true } as const;
/** One less than the database's limit, to leave room for the full stop. */
const REASON_CHARACTERS_MAX = 499;

/**
 * `npm run expensive-work`: pauses new expensive work (hosted action execution and the like) for all workspaces, and resumes
 * it. Every API process follows within a second; reading, signing in and deleting go on.
 */
await runCommand(USAGE, ARGUMENTS, async (configuration, { values, positionals }) => {
  const [verb, ...rest] = positionals;
  const reason = values.reason?.trim() ?? '';
  const isReasonGiven = reason !== '' && reason.length <= REASON_CHARACTERS_MAX;
  const known = verb === 'pause' ? isReasonGiven : verb === 'resume' || verb === 'status';
  if (!known || rest.length > 0) throw new Error(USAGE);
  return withDatabase(databaseOf(configuration).applicationUrl, 'expensive-work', async (db) => {
    if (verb !== 'status') await setExpensiveWorkPause(db, verb === 'pause' ? asSentence(reason) : null);
    const pause = await readExpensiveWorkPause(db);
    if (pause === null) return 'Expensive work is admitted.';
    return `Expensive work is paused since ${pause.pausedAt.toISOString()}: ${pause.reason}`;
  });
});

/** The reason is placed between two sentences of the caller's reply. */
function asSentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
