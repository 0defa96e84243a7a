import { readFileSync } from 'node:fs';
import path from 'node:path';
import { VARIABLES } from '../../domain/configuration/configuration.ts';
import { removeEndedFolder } from '../data-folder.ts';
import { freePorts } from '../ports.ts';
import { projectRoot } from '../../process/project-root.ts';
import { readSteps, type Step } from '../walkthrough/page.ts';
import { walk } from '../walkthrough/walk.ts';

/**
 * `npm run demo`: plays docs/quickstart.md on a stack of its own, with a new data folder and free ports. The stack runs until Ctrl-C. One
 * demo runs at a time.
 */
const root = projectRoot();
const dataDir = path.join(root, '.local', 'demo');
const OUTPUT_LINES_MAX = 40;
/** With the settings of the environment the demo would leave its workspace in an installation that is in use. */
const NO_SETTINGS = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, undefined]));

async function main(): Promise<number> {
  if (process.argv.length > 2) {
    console.error('Usage: npm run demo, without arguments');
    return 1;
  }
  removeEndedFolder(dataDir);
  const [api, temporal, ui] = await freePorts(3);
  const ports = { PORT: String(api), TEMPORAL_PORT: String(temporal), TEMPORAL_UI_PORT: String(ui) };
  const steps = readSteps(readFileSync(path.join(root, 'docs', 'quickstart.md'), 'utf8'));
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    // The reader of the output has ended, as in `npm run demo | head`.
    process.stdout.on('error', () => resolve());
  });
  const { findings, end } = await walk(steps, {
    cwd: root,
    env: { ...process.env, ...NO_SETTINGS, DATA_DIR: dataDir, ...ports },
    onStep: printStep,
    onOutput: (_, output) => console.log(`${shortened(output)}\n`),
  });
  for (const finding of findings) console.error(`docs/quickstart.md, ${finding}`);
  if (findings.length === 0) {
    console.log(`That was docs/quickstart.md. The Temporal UI is at http://127.0.0.1:${ui}; Ctrl-C ends the demo.`);
    await interrupted;
  }
  await end();
  return findings.length === 0 ? 0 : 1;
}

let lastHeading = '';

function printStep({ heading, prose, command }: Step): void {
  if (heading !== lastHeading) console.log(`\n── ${heading} ${'─'.repeat(Math.max(0, 76 - heading.length))}\n`);
  lastHeading = heading;
  if (prose !== '') console.log(`${prose}\n`);
  console.log(command.replaceAll(/^/gm, '$ '));
}

function shortened(output: string): string {
  const lines = laidOut(output).split('\n');
  const rest = lines.length - OUTPUT_LINES_MAX;
  return rest <= 0 ? lines.join('\n') : [...lines.slice(0, OUTPUT_LINES_MAX), `… ${rest} more lines`].join('\n');
}

function laidOut(output: string): string {
  try {
    return JSON.stringify(JSON.parse(output), null, 2);
  } catch {
    return output; // a table, a log, or nothing
  }
}

try {
  process.exit(await main());
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
