import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../embedded/credentials.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { createClient } from '../../../sdk/typescript/src/index.ts';
import { firstBlock, type InstalledPackages, run, type Ended } from '../packages.ts';
import { readVectors } from '../vectors.ts';
import { plantedFaults } from './planted-faults.ts';
import type { SharedStack } from './shared-stack.ts';

const root = projectRoot();
/** The route of one action: there is none of that name, or it is no name of an action. */
const REACHED = /^No such action|params\.ref: must be the id or the name of an action$/;

/** The packages of npm as a user has them: packed, and installed into an empty folder. */
export function typescriptSuite(stack: () => SharedStack, installed: () => InstalledPackages): void {
  describe('the packages of npm', () => {
    it('hold what was compiled, and nothing else', () => {
      for (const name of ['agent-action-runtime-sdk', 'agent-action-runtime-cli']) {
        const others = filesOf(name).filter((file) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(file));
        expect(others, name).toEqual(['LICENSE', 'README.md', 'package.json']);
      }
    });

    it('of the SDK: browsers have everything that it imports', () => {
      const folder = path.join(installed().folder, 'node_modules', 'agent-action-runtime-sdk');
      const scripts = filesOf('agent-action-runtime-sdk').filter((file) => file.endsWith('.js'));
      const imported = scripts.flatMap((file) => {
        const text = readFileSync(path.join(folder, file), 'utf8');
        return [
          ...text.matchAll(/^(?:import|export)\b(?:[^'"]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)/gm),
        ].map((match) => match[1] ?? match[2] ?? '');
      });
      expect(scripts.length).toBeGreaterThan(10);
      expect([...new Set(imported.filter((specifier) => !specifier.startsWith('.')))]).toEqual(['openapi-fetch']);
    });
  });

  describe('the SDK for TypeScript', () => {
    it('runs the first code of its README as it stands', async () => {
      const { folder } = installed();
      const { credentials } = stack();
      const page = readFileSync(path.join(root, 'sdk', 'typescript', 'README.md'), 'utf8');
      writeFileSync(path.join(folder, 'first.mjs'), firstBlock(page, 'js'));
      const env = { BASE_URL: credentials.baseUrl, API_KEY: keyOf(credentials, 'development', 'agent') };
      expect(await run(process.execPath, ['first.mjs'], { cwd: folder, env })).toEqual({
        code: 0,
        output: 'succeeded acknowledged\n',
        errors: '',
      });
      const keyless = await run(process.execPath, ['first.mjs'], { cwd: folder, env: { BASE_URL: env.BASE_URL } });
      expect([keyless.code, keyless.errors]).toEqual([1, expect.stringContaining('set API_KEY')]);
    });

    it.each(readVectors('exchanges').pathSegments.filter(({ path: sentTo }) => sentTo !== null))(
      'and the service take a part of a path for the name that it is: $name',
      async ({ segment }) => {
        const { credentials } = stack();
        const apiKey = keyOf(credentials, 'development', 'agent');
        const client = createClient({ baseUrl: credentials.baseUrl, apiKey });
        const found = client.call('GET', '/api/v2/actions/{ref}', { path: { ref: segment } });
        await expect(found).rejects.toMatchObject({ message: expect.stringMatching(REACHED) as string });
      },
    );

    it('plays the scenario', async () => {
      const scenario = JSON.parse(readFileSync(path.join(root, 'sdk', 'scenario.json'), 'utf8')) as {
        steps: unknown[];
      };
      expect(await playing(scenario)).toEqual({ code: 0, output: `${scenario.steps.length} steps\n`, errors: '' });
    });

    it.each(plantedFaults())('and fails a scenario that takes $name for granted', async ({ name, steps, says }) => {
      const { code, errors } = await playing({ steps });
      expect([code, errors]).toEqual([1, expect.stringContaining(`step ${steps.length}, “${name}”: `)]);
      expect(errors).toContain(says.typescript);
    });
  });

  const filesOf = (name: string): readonly string[] => installed().files[name] ?? [];

  const playing = (scenario: object): Promise<Ended> => {
    const { folder } = installed();
    const file = path.join(folder, 'scenario.json');
    writeFileSync(file, JSON.stringify(scenario));
    return run(process.execPath, ['run-scenario.mjs', file, stack().credentialsFile], { cwd: folder });
  };
}
