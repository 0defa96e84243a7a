import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { Credentials } from '../../../embedded/credentials.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { readSteps, type Step } from '../../../embedded/walkthrough/page.ts';
import { walk, type Walk } from '../../../embedded/walkthrough/walk.ts';
import { freePorts, readCredentials } from '../../harness/embedded-stack.ts';
import { SELF_SIGNED_CERTIFICATE_FILE } from '../../harness/target.ts';

/** What the commands of a page printed, in their order. */
export interface Walked {
  steps: Step[];
  printed: string[];
  /** How the output departs from the page. */
  findings: string[];
}

export type OnOutput = (step: Step, output: string) => void | Promise<void>;

/** `npm start`, as the commands of the README started it. One serves every test of what agents do. */
export interface SharedStack {
  /** For what the tests write. The stack's own data are in it too. */
  folder: string;
  dataDir: string;
  credentials: Credentials;
  credentialsFile: string;
  readme: Walked;
  /** Plays the commands of a page as they stand, beside the stack. */
  walkPage(page: string, onOutput?: OnOutput): Promise<Walked>;
  end(): Promise<void>;
}

export async function startSharedStack(): Promise<SharedStack> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sdk-stack-'));
  chmodSync(folder, 0o711); // PostgreSQL may have to run as another account
  const dataDir = path.join(folder, 'data');
  const { PATH = '', HOME = '' } = process.env;
  const NODE_EXTRA_CA_CERTS = SELF_SIGNED_CERTIFICATE_FILE; // of the test that serves a client's metadata
  const env = { PATH, HOME, DATA_DIR: dataDir, NODE_EXTRA_CA_CERTS, ...(await freePorts()) };
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const started = await walkCommands('README.md', env, ({ command }) => command !== 'npm test');
    return {
      folder,
      dataDir,
      credentials: readCredentials(dataDir),
      credentialsFile: path.join(dataDir, 'credentials.json'),
      readme: started,
      walkPage: (page, onOutput) => walkCommands(page, env, ({ command }) => command !== 'npm start', onOutput),
      end: async () => {
        await started.walk.end();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function walkCommands(
  page: string,
  env: NodeJS.ProcessEnv,
  isWanted: (step: Step) => boolean,
  onOutput: OnOutput = () => undefined,
): Promise<Walked & { walk: Walk }> {
  const root = projectRoot();
  const steps = readSteps(readFileSync(path.join(root, page), 'utf8')).filter(isWanted);
  expect(steps.length, `commands of ${page}`).toBeGreaterThan(0);
  const printed: string[] = [];
  const walked = await walk(steps, {
    cwd: root,
    env,
    onStep: () => undefined,
    onOutput: (step, output) => {
      printed.push(output);
      return onOutput(step, output);
    },
  });
  return { steps, printed, findings: walked.findings, walk: walked };
}

/** The record that a tool of MCP answered, out of the event that `curl` printed. */
export function structuredIn(printed: string | undefined): unknown {
  const data = /^data: (\{.*\})$/m.exec(printed ?? '')?.[1] ?? '{}';
  return (JSON.parse(data) as { result?: { structuredContent?: unknown } }).result?.structuredContent;
}
