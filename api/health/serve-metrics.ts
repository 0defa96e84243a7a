import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OwnEndpoint } from '../../domain/own-endpoints.ts';
import { PROMETHEUS_CONTENT_TYPE, prometheusText, type Metric } from '../../domain/metrics.ts';

export interface MetricsServer {
  /** Where it listens; empty where none is served. */
  endpoints: readonly OwnEndpoint[];
  close(): Promise<void>;
}

/** A scraper sends a few hundred bytes at once. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * GET /metrics on a separate listener at `host:port`; null: none. It needs no credential: keep it off public networks.
 */
export async function serveMetrics(address: string | null, read: () => readonly Metric[]): Promise<MetricsServer> {
  if (address === null) return { endpoints: [], close: () => Promise.resolve() };
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' && request.url === '/metrics';
    response.writeHead(isRead ? 200 : 404, { 'content-type': PROMETHEUS_CONTENT_TYPE });
    response.end(isRead ? prometheusText(read()) : '');
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // A URL leaves the port of its scheme out.
    server.listen(port === '' ? 80 : Number(port), host, resolve);
  });
  return {
    endpoints: [{ host, port: (server.address() as AddressInfo).port }],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
