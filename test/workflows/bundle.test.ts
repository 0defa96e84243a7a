import { stat } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';

test('the workflows bundle without Node builtins and without zod', async () => {
  const { size } = await stat(inject('stack').workflowBundlePath);
  expect(size).toBeGreaterThan(100_000);
  expect(size).toBeLessThan(2_500_000);
});
