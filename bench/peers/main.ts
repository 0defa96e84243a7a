import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLibraries, nodeOfTheBench } from './libraries.ts';
import { readOptions, USAGE } from './options.ts';

/**
 * `npm run bench:peers [-- --write]`: see docs/performance.md. Restate's SDK asks for Node 22, so the bench and all its
 * processes run on one Node that is locked with the libraries.
 */
const args = process.argv.slice(2);
if (readOptions(args) === null) console.log(USAGE);
else process.exitCode = await runBench();

async function runBench(): Promise<number> {
  installLibraries();
  const binary = nodeOfTheBench();
  const PATH = `${path.dirname(binary)}${path.delimiter}${process.env['PATH'] ?? ''}`;
  const bench = spawn(binary, [fileURLToPath(new URL('bench.js', import.meta.url)), ...args], {
    stdio: ['pipe', 'inherit', 'inherit'], // it ends with us: its standard input ends
    env: { ...process.env, PATH },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => bench.kill(signal));
  const [code] = (await once(bench, 'exit')) as [number | null];
  return code ?? 1;
}
