import { z } from 'zod';
import { PROVIDER_ORIGINS } from '../adapters/provider-origins.ts';
import { baseUrlSchema } from '../base-url.ts';
import { buildIdSchema, countSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

/** What a process has that sends the calls of invocations. */
export const INVOKING = {
  RUN_INVOCATIONS: {
    meaning:
      '`1`: the API process also runs the workflows of invocations and sends their calls, so that an invocation needs no hop through Temporal’s task queue, and a plain one no workflow. It then needs the way out to the targets, as a worker does, and as many database connections again. Deliveries, provider reads, notifications and jobs stay with the workers, which it does not replace. `0`: workers alone send.',
    default: '0',
    processes: ['api'],
    schema: z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1'),
  },
  WORKER_BUILD_ID: {
    meaning:
      'The build that the workers of this process are a version of, such as the release’s number: a Worker Deployment of Temporal, whose work `npm run deploy` gives to one version or another. The same for every process of a release, and another one for each release. Not set: without versions, and every worker takes every task.',
    default: null,
    processes: ['api', 'worker'],
    schema: buildIdSchema,
  },
  STRIPE_API_BASE_URL: {
    meaning: 'Where `stripe.refund` reaches Stripe: a proxy, or a stand-in for tests. It sees the credentials.',
    default: PROVIDER_ORIGINS.stripe,
    processes: ['api', 'worker', 'embedded'],
    schema: baseUrlSchema,
  },
  RESEND_API_BASE_URL: {
    meaning: 'Where `resend.email` reaches Resend: a proxy, or a stand-in for tests. It sees the credentials.',
    default: PROVIDER_ORIGINS.resend,
    processes: ['api', 'worker', 'embedded'],
    schema: baseUrlSchema,
  },
  HEARTBEAT_TIMEOUT_SECONDS: {
    meaning:
      'A worker that makes a long call (`timeoutMs` above 30 s) and has sent no heartbeat for so long counts as lost: the outcome becomes `unknown` and is reconciled; that of a short call does at its deadline. A shorter time finds that sooner, and takes a machine that stands still for a moment for a lost one. A process that stood still for half of it after a claim sends nothing. The same for every worker, and for an API with RUN_INVOCATIONS.',
    default: '10',
    processes: ['api', 'worker', 'embedded'],
    schema: countSchema(2, 60),
  },
} as const satisfies Record<string, Variable>;
