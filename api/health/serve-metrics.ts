import { PROMETHEUS_CONTENT_TYPE, prometheusText, type Metric } from '../../domain/metrics.ts';
import { type InternalListener, listenInternally } from './internal-listener.ts';

/** GET /metrics on a separate listener at `host:port`; null disables it. */
export async function serveMetrics(address: string | null, read: () => readonly Metric[]): Promise<InternalListener> {
  const metrics = () => ({ status: 200, contentType: PROMETHEUS_CONTENT_TYPE, body: prometheusText(read()) });
  return listenInternally(address, { '/metrics': metrics });
}
