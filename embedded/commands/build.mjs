// `npm run build`: always, unlike the other commands, which build where that is needed.
import { build, checkNode, installWhereMissing, PreparationError } from '../prepare.mjs';

try {
  checkNode();
  installWhereMissing();
  build();
} catch (error) {
  if (!(error instanceof PreparationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
