import { Background } from './background.ts';
import { differences } from './differences.ts';
import type { Step } from './page.ts';
import { Shell } from './shell.ts';

const SERVER_COMMAND = 'npm start';
/** The last line that `npm start` prints. */
const SERVER_READY = 'Ctrl-C stops everything';

export interface WalkOptions {
  /** Where the commands run: the project's root. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Called before a step runs. */
  onStep: (step: Step) => void;
  /** Called with what the step printed. The next one waits for it. */
  onOutput: (step: Step, output: string) => void | Promise<void>;
}

export interface Walk {
  /** A line for each way in which the output departs from the page. */
  findings: string[];
  /** Stops what `npm start` began. */
  end(): Promise<void>;
}

/**
 * Runs the commands of a page as a reader would: `npm start` in a terminal of its own, the others in one shell. A command that fails
 * ends the walk, because the next ones build on it.
 */
export async function walk(steps: readonly Step[], options: WalkOptions): Promise<Walk> {
  const { cwd, env } = options;
  const shell = new Shell({ cwd, env });
  const servers: Background[] = [];
  const findings: string[] = [];
  const end = async (): Promise<void> => {
    for (const server of servers) await server.end();
  };
  try {
    for (const step of steps) {
      options.onStep(step);
      let output: string;
      if (step.command === SERVER_COMMAND) {
        const server = new Background(step.command, { cwd, env });
        servers.push(server);
        output = await server.printed(SERVER_READY);
      } else {
        output = await shell.run(step.command);
      }
      await options.onOutput(step, output);
      findings.push(...differencesOf(step, output));
    }
    return { findings, end };
  } catch (error) {
    await end();
    throw error;
  } finally {
    await shell.end();
  }
}

function differencesOf({ expected, line }: Step, output: string): string[] {
  if (expected === null) return [];
  try {
    return differences(expected, JSON.parse(output)).map((finding) => `line ${line}: ${finding}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [`line ${line}: prints no JSON: ${output}`];
  }
}
