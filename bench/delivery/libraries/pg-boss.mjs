// Node looks for the package beside this file, and not beside the compiled bench.
export { PgBoss } from 'pg-boss';
