import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync, writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node';

const STANDARD_OUTPUT = 1;
/** The most that is kept of what a process wrote to its standard error, in characters. */
const LAST_WORDS_MAX = 8_000;

/** Whether tests failed and how many, where a failed hook, suite, import or unhandled error counts as a failure too. */
export interface Summary {
  passed: number;
  failed: number;
}

/**
 * The last line of a run is `N passed, N failed`. It is written when the process exits, after every other reporter; the
 * launcher of `npm test` sets a file instead (TEST_SUMMARY_FILE) and prints the line itself.
 */
export default class PlainSummaryReporter implements Reporter {
  private summary: Summary = { passed: 0, failed: 1 };
  private readonly deaths: string[] = [];

  onInit(): void {
    subscribe('child_process', (message) => this.watch((message as { process: ChildProcess }).process));
    process.once('exit', () => {
      const line = `${this.summary.passed} passed, ${this.summary.failed} failed\n`;
      const file = process.env['TEST_SUMMARY_FILE'];
      if (file === undefined) writeSync(STANDARD_OUTPUT, line);
      else writeFileSync(file, line);
      if (this.summary.failed > 0 && (process.exitCode ?? 0) === 0) process.exitCode = 1;
    });
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const summary = { passed: 0, failed: unhandledErrors.length };
    for (const module of modules) {
      if (module.errors().length > 0) summary.failed++;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) summary.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') summary.passed++;
        // A test that never finished (its worker died, the run was interrupted) did not pass.
        else if (state === 'failed' || state === 'pending') summary.failed++;
      }
    }
    if (reason !== 'passed' && summary.failed === 0) summary.failed = 1;
    this.summary = summary;
    for (const line of unfinished(modules, this.deaths)) writeSync(STANDARD_OUTPUT, `${line}\n`);
  }

  /** Vitest says that a process of tests exited, and not how. It stops reading what the process wrote last, so this reads it too. */
  private watch(child: ChildProcess): void {
    let written = '';
    // The process is announced before it has its streams.
    setImmediate(() =>
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        written = (written + text).slice(-LAST_WORDS_MAX);
      }),
    );
    child.once('close', (code, signal) => {
      if (code !== 0)
        this.deaths.push(`process ${child.pid} ended with ${signal ?? code}: ${child.spawnargs.join(' ')}\n${written}`);
    });
  }
}

/** Which tests had not ended when their process did, and how processes ended; nothing where all tests ended. */
function unfinished(modules: readonly TestModule[], deaths: readonly string[]): string[] {
  const left = modules.flatMap((module) =>
    [...module.children.allTests()]
      .filter((test) => test.result().state === 'pending')
      .map((test) => `not ended: ${module.relativeModuleId} > ${test.fullName}`),
  );
  return left.length === 0 ? [] : [...left, ...deaths];
}
