#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/** The process as a terminal. A question needs a person: without one (a pipe, a CI job) nothing is asked. */
const { stdin, stdout, stderr, env } = process;
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('Interrupted.')));
const isAttended = stdin.isTTY && stdout.isTTY;

async function ask(question: string, isSecret: boolean): Promise<string> {
  stdout.write(question);
  // What is typed is echoed by readline itself, to its output.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: isSecret ? silent : stdout, terminal: true });
  try {
    return await lines.question('', { signal: interrupted.signal });
  } finally {
    lines.close();
    if (isSecret) stdout.write('\n');
  }
}

const terminal: Terminal = {
  print: (line) => void stdout.write(`${line}\n`),
  printError: (line) => void stderr.write(`${line}\n`),
  env,
  readInput: () => text(stdin),
  ask: isAttended ? (question) => ask(question, false) : null,
  askSecretly: isAttended ? (question) => ask(question, true) : null,
  signal: interrupted.signal,
};

process.exitCode = await runProgram(process.argv.slice(2), terminal);
