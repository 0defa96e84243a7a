import { defineConfig } from 'vitest/config';

const SHARED = ['activities', 'api', 'architecture', 'db', 'domain', 'temporal'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

const common = {
  pool: 'forks',
  testTimeout: 30_000,
  hookTimeout: 60_000,
  teardownTimeout: 30_000,
  // What is waited for comes when the machine has time for it; vitest's own second is short of that.
  expect: { poll: { timeout: 15_000 } },
} as const;

export default defineConfig({
  test: {
    // Of the whole run, not of each project: one PostgreSQL, one Temporal.
    globalSetup: ['test/harness/global-setup.ts'],
    reporters: ['default', './test/harness/plain-summary-reporter.ts'],
    maxWorkers: 2,
    projects: [
      // Files share a process and what it has loaded: that is a third of their time. Each has its own database and task queue.
      { test: { ...common, name: 'shared', include: SHARED, isolate: false } },
      // What kills processes, changes the Temporal runtime, or moves the clock has a process for each file.
      { test: { ...common, name: 'apart', include: ['test/**/*.test.ts'], exclude: SHARED } },
    ],
  },
});
