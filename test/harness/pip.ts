import { execFileSync } from 'node:child_process';

/** Whether python3 has pip, which fetches the local model of embeddings. A test that needs the model says so, and is skipped without. */
export const HAS_PIP = ((): boolean => {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
