import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Scenario } from './scenario.ts';

const TESTS_OF_WORKFLOWS = path.join(import.meta.dirname, '..', 'workflows');

/** The recorded lives of every workflow, which each area declares in `test/workflows/<area>/scenarios.ts`. */
export const SCENARIOS: readonly Scenario[] = await collectScenarios();

async function collectScenarios(): Promise<Scenario[]> {
  const collected: Scenario[] = [];
  for (const area of readdirSync(TESTS_OF_WORKFLOWS).sort()) {
    const file = path.join(TESTS_OF_WORKFLOWS, area, 'scenarios.ts');
    if (!existsSync(file)) continue;
    const { scenarios } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { scenarios?: Scenario[] };
    if (scenarios === undefined) throw new Error(`test/workflows/${area}/scenarios.ts does not export \`scenarios\``);
    collected.push(...scenarios);
  }
  return collected;
}
