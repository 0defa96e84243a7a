// `npm test [vitest's arguments]`: installs and builds if needed, then runs vitest. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildWhereStale, checkNode, installWhereMissing, PreparationError, root } from './prepare.mjs';

const NOTHING_RAN = '0 passed, 1 failed\n';

try {
  checkNode();
  installWhereMissing();
  await buildWhereStale();
} catch (error) {
  if (!(error instanceof PreparationError)) throw error;
  console.error(error.message);
  process.stdout.write(NOTHING_RAN);
  process.exit(1);
}

const folder = mkdtempSync(path.join(tmpdir(), 'service-summary-'));
const summaryFile = path.join(folder, 'summary');
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const child = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TEST_SUMMARY_FILE: summaryFile },
});
// A terminal sends Ctrl-C to both; a supervisor sends it only to us.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => {
  const summary = existsSync(summaryFile) ? readFileSync(summaryFile, 'utf8') : NOTHING_RAN;
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(summary);
  process.exitCode = code === 0 && / 0 failed$/m.test(summary) ? 0 : 1;
});
