import { z } from 'zod';
import { postgresUrlSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

/** How the database is replicated and reached (docs/ha.md). */
export const HIGH_AVAILABILITY = {
  DATABASE_LISTEN_URL: {
    meaning:
      'The same database and login for the one connection that LISTENs, where DATABASE_URL leads to a pooler in transaction mode: directly to the primary. Not set: DATABASE_URL.',
    default: null,
    processes: ['api', 'worker', 'embedded'],
    schema: postgresUrlSchema,
  },
  REQUIRE_SYNC_STANDBY: {
    meaning:
      '`1`: nothing is sent unless PostgreSQL waits for a synchronous standby with the commit of its claim (`synchronous_standby_names` names one, `synchronous_commit` is `on` or `remote_apply`). A failover that a running process sees is then only noted, because it loses no claim. The same for API and workers.',
    default: '0',
    processes: ['api', 'worker', 'embedded'],
    schema: z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1'),
  },
} as const satisfies Record<string, Variable>;
