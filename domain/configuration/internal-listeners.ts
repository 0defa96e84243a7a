import { addressSchema, listenerSchema } from './schemas.ts';
import type { Variable } from './variable.ts';

/** Listeners for those who operate a process. They ask for no login, and no action reaches them. */
export const INTERNAL_LISTENERS = {
  METRICS_ADDRESS: {
    meaning:
      'Where the process serves `GET /metrics` in Prometheus’ text format, as host:port, without a login: keep it off public networks. Not set: nowhere.',
    default: null,
    processes: ['api', 'worker', 'embedded'],
    schema: addressSchema,
  },
  TEMPORAL_METRICS_ADDRESS: {
    meaning:
      'Where the core of Temporal’s SDK serves `GET /metrics` of a process that runs a worker in the same format, as host:port, without a login: keep it off public networks. Not set: nowhere.',
    default: null,
    processes: ['api', 'worker', 'embedded'],
    schema: listenerSchema,
  },
  HEALTH_ADDRESS: {
    meaning:
      'Where a worker serves `GET /healthz` and `GET /readyz`, as host:port, without a login: keep it off public networks. Not set: nowhere. (The API serves both on its own port.)',
    default: null,
    processes: ['worker'],
    schema: addressSchema,
  },
} as const satisfies Record<string, Variable>;
