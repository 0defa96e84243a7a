import { expect, test } from 'vitest';
import { Program } from '../harness/embedded-stack.ts';

/** Prints whether the core is loaded: with what an API always imports, and with what one that runs invocations imports too. */
const LOOK = `
  const isLoaded = () => process.report.getReport().sharedObjects.some((file) => file.includes('core-bridge'));
  await import('./dist/server.js');
  const without = isLoaded();
  await import('./dist/process/invocation-worker.js');
  console.log(JSON.stringify([without, isLoaded()]));`;

test('only an API that runs invocations loads the native core of Temporal', async () => {
  const program = new Program(['--input-type=module', '--eval', LOOK], {});
  expect(await program.exited).toBe(0);
  expect(program.output.trim()).toBe('[false,true]');
});
