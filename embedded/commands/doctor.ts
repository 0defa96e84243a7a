import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FILES_DIR_DEFAULT } from '../../activities/adapters/files/create-file-store.ts';
import { CHECKS } from '../doctor/checks.ts';
import { reportOf } from '../doctor/report.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { readSettings } from '../doctor/settings.ts';
import { Subject } from '../doctor/subject.ts';

const CLOSE_MS_MAX = 500;
const USAGE = 'Usage: npm run doctor, or npm run --silent doctor -- --json';

/** `npm run doctor`: examines what API and worker would run on, and what runs. Exit code 1 if a check fails. */
const { json } = parsed();
const settings = readSettings(process.env, FILES_DIR_DEFAULT);
if (settings.dataDir !== null) {
  console.error(`DATABASE_URL is not set: this is the stack of npm start on ${settings.dataDir} (DATA_DIR).`);
}
const subject = new Subject(settings);
const results = await runChecks(CHECKS, subject);
console.log(json ? JSON.stringify({ checks: results }, null, 2) : reportOf(results));
// What had no answer may not close either.
await Promise.race([subject.close(), delay(CLOSE_MS_MAX, undefined, { ref: false })]);
process.exit(results.some(({ status }) => status === 'fail') ? 1 : 0);

function parsed(): { json: boolean } {
  try {
    const options = { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ options });
    if (values.help !== true) return values;
    console.log(USAGE);
    process.exit(0);
  } catch {
    console.error(USAGE);
    process.exit(2);
  }
}
