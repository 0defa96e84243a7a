// Node looks for the package beside this file, and not beside the compiled bench.
export { makeWorkerUtils, run } from 'graphile-worker';
