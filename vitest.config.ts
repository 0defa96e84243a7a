import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from './test/harness/patience.ts';

const SHARED = ['activities', 'api', 'architecture', 'db', 'demo', 'domain', 'temporal', 'faults/providers'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

const common = {
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
    // Tests wait more than they work: two run beside each other also where there is one core.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      // Files share a process and what it has loaded: that is a third of their time. Each has its own database and task queue.
      { test: { ...common, name: 'shared', include: SHARED, isolate: false } },
      // What kills processes, changes the Temporal runtime, or moves the clock has a process for each file.
      { test: { ...common, name: 'apart', include: ['test/**/*.test.ts'], exclude: SHARED } },
    ],
  },
});
