import type { z } from 'zod';

/** `api` and `worker` are the production processes; `setup` the commands that prepare for them; `embedded` is `npm start`. */
export const PROCESS_KINDS = ['api', 'worker', 'setup', 'embedded'] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];

export interface Variable {
  /** One sentence or two, for the generated page. */
  meaning: string;
  /** The default, as it would be written into the environment; `null`: none. */
  default: string | null;
  /** The embedded stack's default, if it differs. */
  embeddedDefault?: string;
  processes: readonly ProcessKind[];
  /** The processes that do not start without it. */
  required?: readonly ProcessKind[];
  /** An empty value means something other than an absent one. */
  emptyCounts?: true;
  schema: z.ZodType<unknown, string>;
}
