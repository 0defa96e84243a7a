#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EXIT, InterruptedError, UsageError } from './exit.ts';
import { runProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/** Asks only when a person is there, not in a pipe or a CI job. */
const { stdin, stdout, stderr, env } = process;
const interrupted = new AbortController();
const interrupt = (): void => interrupted.abort(new InterruptedError());
const isAttended = stdin.isTTY && stdout.isTTY;

async function ask(question: string, isSecret: boolean): Promise<string> {
  // readline echoes typed text to its output; the terminal's own echo ends before the question is shown.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: isSecret ? silent : stdout, terminal: true });
  const left = new AbortController();
  lines.once('SIGINT', () => left.abort()).once('close', () => left.abort()); // Ctrl-C, Ctrl-D
  if (isSecret) stdout.write(question);
  try {
    return await lines.question(isSecret ? '' : question, { signal: left.signal });
  } catch (error) {
    throw left.signal.aborted ? new UsageError('Interrupted: nothing was done.', { cause: error }) : error;
  } finally {
    if (isSecret || left.signal.aborted) stdout.write('\n');
    lines.close();
  }
}

const terminal: Terminal = {
  print: (line) => void stdout.write(`${line}\n`),
  printError: (line) => void stderr.write(`${line}\n`),
  env,
  readInput: () => text(stdin),
  ask: isAttended ? (question) => ask(question, false) : null,
  askSecretly: isAttended ? (question) => ask(question, true) : null,
  /** Ctrl-C ends the process, unless a command uses this signal. */
  get signal() {
    if (process.listenerCount('SIGINT') === 0) process.once('SIGINT', interrupt);
    return interrupted.signal;
  },
};

/** The reader may close early (`… | head`). A closed error stream alone does not change the exit code. */
const unlessLeft = (end: () => void) => (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  end();
};
stdout.on(
  'error',
  unlessLeft(() => process.exit(EXIT.ok)),
);
stderr.on(
  'error',
  unlessLeft(() => undefined),
);

process.exitCode = await runProgram(process.argv.slice(2), terminal);
