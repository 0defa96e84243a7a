import path from 'node:path';
import { keyOf, type Credentials } from '../../../embedded/credentials.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { runPython } from './environment.ts';

const RUNNER = path.join(projectRoot(), 'test', 'sdk', 'python', 'scenario.py');

/** Plays a scenario by the Python SDK against a started stack. Answers each step that was played with its problem, if it has one. */
export async function playByPython(
  python: string,
  scenario: string,
  credentials: Credentials,
): Promise<[name: string, problem: string | null][]> {
  const { baseUrl, payments, signingSecret } = credentials;
  const input = JSON.stringify({
    baseUrl,
    keys: {
      agent: keyOf(credentials, 'development', 'agent'),
      operator: keyOf(credentials, 'development', 'full_access'),
      publisher: keyOf(credentials, 'development', 'all_scopes'),
    },
    variables: { payments, signingSecret },
  });
  const printed = await runPython(python, [RUNNER, scenario], { input });
  const lines = printed.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as [string, string | null]);
}
