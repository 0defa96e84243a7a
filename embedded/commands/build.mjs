// `npm run build`: always builds. The other commands build only if needed.
import { build, checkNode, installWhereMissing, PreparationError } from '../prepare.mjs';

try {
  checkNode();
  installWhereMissing();
  await build();
} catch (error) {
  if (!(error instanceof PreparationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
