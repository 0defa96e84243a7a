import type { ApiOptions } from '../../api/create-api.ts';
import type { ProcessMetrics } from './process-metrics.ts';

/** The option of the API that measures its requests; none without METRICS_ADDRESS. */
export function observedRequests({ isServed, recorder }: ProcessMetrics): Pick<ApiOptions, 'onAnswer'> {
  if (!isServed) return {};
  return {
    // Probes apart: some a second would hide that every other request fails, and one that says 503 is no failed request.
    onAnswer: ({ method, route, status, durationMs, isProbe }) =>
      recorder.observe(
        'agent_actions_http_request_duration_seconds',
        { method, route: route ?? (isProbe ? 'probe' : 'other'), status: String(status) },
        durationMs / 1_000,
      ),
  };
}
