import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../process/project-root.ts';

/**
 * Keeps a result as `bench/results/<date>-<bench>.md`, and its raw data beside it where there are any. A later run of the same day
 * replaces the earlier one. `takenAt` is an ISO 8601 time.
 */
export function writeResult(bench: string, takenAt: string, text: string, data?: unknown): void {
  const folder = path.join(projectRoot(), 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const name = path.join(folder, `${takenAt.slice(0, 10)}-${bench}`);
  writeFileSync(`${name}.md`, text);
  if (data !== undefined) writeFileSync(`${name}.json`, `${JSON.stringify(data)}\n`);
  console.log(`Written: ${name}.md${data === undefined ? '' : ' and .json'}`);
}
