// Node looks for the package beside this file, and not beside the compiled bench.
export { DBOS } from '@dbos-inc/dbos-sdk';
