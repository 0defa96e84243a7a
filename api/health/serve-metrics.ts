import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PROMETHEUS_CONTENT_TYPE, prometheusText, type Metric } from '../../domain/metrics.ts';

export interface MetricsServer {
  /** Null where none is served. */
  port: number | null;
  close(): Promise<void>;
}

/** A scraper sends a few hundred bytes at once. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * GET /metrics on a listener of its own at `host:port`, or nowhere where that is null. It asks for no credential: keep it off
 * public networks.
 */
export async function serveMetrics(address: string | null, read: () => readonly Metric[]): Promise<MetricsServer> {
  if (address === null) return { port: null, close: () => Promise.resolve() };
  const { hostname, port } = new URL(`http://${address}`);
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' && request.url === '/metrics';
    response.writeHead(isRead ? 200 : 404, { 'content-type': PROMETHEUS_CONTENT_TYPE });
    response.end(isRead ? prometheusText(read()) : '');
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // A URL leaves the port of its scheme out.
    server.listen(port === '' ? 80 : Number(port), hostname.replace(/^\[|\]$/g, ''), resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
