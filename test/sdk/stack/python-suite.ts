import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../../embedded/credentials.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { buildWheel, freshEnvironment, type PythonCache, runPython } from '../python/environment.ts';
import { type InstalledPackage, packageSuite } from '../python/package-suite.ts';
import { playByPython } from '../python/scenario.ts';
import { plantedFaults } from './planted-faults.ts';
import { pythonQuickStartsSuite } from './quickstarts-suite.ts';
import type { SharedStack } from './shared-stack.ts';

const SCENARIO = path.join(projectRoot(), 'sdk', 'scenario.json');
/** Installing may come first. */
const timeout = 3 * PATIENCE_MS;

/** The Python SDK as a user has it, and the quick starts that use it. Left out where there is no Python. */
export function pythonSuite(stack: () => SharedStack, python: PythonCache | null): void {
  describe.skipIf(python === null)('in Python', () => {
    let installed: InstalledPackage;
    /** The folder of the SDK, for the environment that has everything else. */
    let site: string;

    beforeAll(async () => {
      if (python === null) throw new Error('these tests are left out without Python');
      const { folder } = stack();
      const wheel = await buildWheel(python, folder);
      installed = { cache: python, wheel, python: await freshEnvironment(python, wheel, folder), folder };
      const file = await runPython(installed.python, ['-c', 'import agent_action_runtime as sdk; print(sdk.__file__)']);
      site = path.dirname(path.dirname(file.trim()));
    }, timeout);

    packageSuite(() => installed);

    it('the SDK plays the scenario', { timeout }, async () => {
      const { steps } = JSON.parse(readFileSync(SCENARIO, 'utf8')) as { steps: { name: string }[] };
      const played = await playByPython(installed.python, SCENARIO, stack().credentials);
      expect(played.filter(([, problem]) => problem !== null)).toEqual([]);
      expect(played.map(([name]) => name)).toEqual(steps.map(({ name }) => name));
    });

    it('and is stopped by a scenario that takes a fault for granted', { timeout }, async () => {
      const faults = plantedFaults();
      const ends = await Promise.all(
        faults.map(async ({ steps }, index) => {
          const file = path.join(installed.folder, `fault-${index}.json`);
          writeFileSync(file, JSON.stringify({ steps }));
          return (await playByPython(installed.python, file, stack().credentials)).at(-1);
        }),
      );
      expect(ends).toEqual(faults.map(({ name, says }) => [name, expect.stringContaining(says.python)]));
    });

    it('the first block of the SDK’s README runs as it stands', { timeout }, async () => {
      const readme = readFileSync(path.join(projectRoot(), 'sdk', 'python', 'README.md'), 'utf8');
      const block = /```python\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
      const { credentials } = stack();
      const variables = { BASE_URL: credentials.baseUrl, API_KEY: keyOf(credentials, 'development', 'agent') };
      expect(await runPython(installed.python, ['-c', block], { env: variables })).toBe('succeeded acknowledged\n');
    });

    it('its README says what tools() answers', { timeout }, async () => {
      const readme = readFileSync(path.join(projectRoot(), 'sdk', 'python', 'README.md'), 'utf8');
      const block = /```python\n(export = client\.tools[\s\S]*?)```/.exec(readme)?.[1] ?? '';
      const { credentials } = stack();
      const variables = { BASE_URL: credentials.baseUrl, API_KEY: keyOf(credentials, 'development', 'agent') };
      const program = `from agent_action_runtime import Client\nclient = Client()\n${block}`;
      const [tools, names, dropped] = (await runPython(installed.python, ['-c', program], { env: variables })).split(
        '\n',
      );
      expect(tools).toMatch(/^\[\{'type': 'function', 'function': \{'name': 'demo__echo/);
      expect(names).toContain("'demo__echo': 'demo.echo'");
      expect(dropped).toMatch(/^\[.*\]$/);
    });

    pythonQuickStartsSuite(stack, () => ({ python: installed.cache.python, site }));
  });
}
