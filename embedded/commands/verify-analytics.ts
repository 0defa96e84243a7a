import { type Difference, findDifferences, mendRollups } from '../../db/analytics/verification.ts';
import { foldAllFacts } from '../../db/analytics/directory.ts';
import { listEveryEnvironment } from '../../db/environments/directory.ts';
import { refusePrivilegedLogin } from '../../db/refuse-unsuitable-database.ts';
import { valueOf } from '../../domain/analytics/histogram.ts';
import { databaseOf } from '../local-stack.ts';
import { runCommand } from './run-command.ts';
import { withDatabase } from '../with-database.ts';

const USAGE = 'Usage: npm run analytics:verify [-- --repair]';

/**
 * `npm run analytics:verify`: recounts the kept records of every environment and prints each bucket of analytics that differs. Exits with
 * code 1 if one does. `--repair` adds what is missing and checks again.
 */
await runCommand(USAGE, { options: { repair: { type: 'boolean' } } }, async (configuration, { values }) => {
  return withDatabase(databaseOf(configuration).applicationUrl, 'verify-analytics', async (db) => {
    await refusePrivilegedLogin(db);
    const tenants = await listEveryEnvironment(db);
    const found: Difference[] = [];
    let mended = 0;
    for (const tenant of tenants) {
      if (values.repair) {
        mended += await mendRollups(db, tenant);
        // The added rows are folded like every other fact, and so are the days after them.
        await foldAllFacts(db);
      }
      found.push(...(await findDifferences(db, tenant)));
    }
    if (found.length > 0)
      throw new Error([`Differing (of ${tenants.length} environments):`, ...found.map(lineOf)].join('\n'));
    return values.repair
      ? `Repaired: ${mended} rows in ${tenants.length} environments.`
      : `Whole: the analytics of ${tenants.length} environments.`;
  });
});

function lineOf({ environmentId, kind, isTotal, quarter, d1, d2, d3, bucket, n, s1, s2 }: Difference): string {
  const of = bucket === null ? '' : ` at ${Math.round(valueOf(bucket))} ms`;
  const sums = bucket === null ? `n ${signed(n)}, s1 ${signed(s1)}, s2 ${signed(s2)}` : `n ${signed(n)}`;
  return `${environmentId} ${kind}${isTotal ? ' in total' : ''} ${quarter.toISOString()} ${JSON.stringify([d1, d2, d3])}${of}: ${sums}`;
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value);
}
