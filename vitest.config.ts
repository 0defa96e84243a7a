import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/harness/slowest-first.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from './test/harness/patience.ts';

const WORKERS_PER_CORE = 2;

const SHARED = [
  'activities',
  'api',
  'architecture',
  'bench',
  'db',
  'demo',
  'domain',
  'embedded',
  'faults/providers',
  'ops',
  'process',
  'replay',
  'sdk',
  'temporal',
  'workflows',
].map((folder) => `test/${folder}/**/*.test.ts`);

const NOT_IN_NPM_TEST = [
  // It downloads the suite: `npm run test:mcp`.
  ...(process.env['MCP_CONFORMANCE'] === undefined ? ['test/contract/mcp-conformance.test.ts'] : []),
  // One starts eight processes, the other waits for minutes until figures are read and leases end: `npm run test:faults`.
  ...(process.env['FAULTS'] === undefined ? ['test/faults/rolling-restart.test.ts', 'test/faults/alerts.test.ts'] : []),
];

/** The command line imports the SDK as the package that it is. */
const SDK = fileURLToPath(new URL('sdk/typescript/src/index.ts', import.meta.url));

const common = {
  setupFiles: ['test/harness/close-with-file.ts'] as string[],
  alias: { 'agent-action-runtime-sdk': SDK },
  pool: 'forks',
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  teardownTimeout: PATIENCE_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
} as const;

export default defineConfig({
  test: {
    // Once for the whole run, not for each project: one PostgreSQL, one Temporal.
    globalSetup: ['test/harness/global-setup.ts'],
    reporters: ['default', './test/harness/plain-summary-reporter.ts'],
    // Tests wait about as long as they work (for heartbeats, time-outs, processes that start): four run on two cores.
    maxWorkers: Math.max(2, Math.ceil(WORKERS_PER_CORE * availableParallelism())),
    sequence: { sequencer: SlowestFirst },
    projects: [
      // Files share a process and what it has loaded: that is a third of their time. Each has its own database and task queue.
      { test: { ...common, name: 'shared', include: SHARED, isolate: false } },
      // What changes the Temporal runtime or kills what it shares has a process for each file.
      { test: { ...common, name: 'apart', include: ['test/**/*.test.ts'], exclude: [...SHARED, ...NOT_IN_NPM_TEST] } },
    ],
  },
});
