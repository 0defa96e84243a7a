import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OwnEndpoint } from '../../domain/own-endpoints.ts';

export interface InternalReply {
  status: number;
  contentType: string;
  body: string;
}

export interface InternalListener {
  /** Empty when nothing is served. */
  endpoints: readonly OwnEndpoint[];
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Serves GET of some paths on a separate listener at `host:port`; null disables it. It needs no credential: keep it off public networks. No
 * action may reach its endpoints.
 */
export async function listenInternally(
  address: string | null,
  paths: Readonly<Record<string, () => InternalReply | Promise<InternalReply>>>,
): Promise<InternalListener> {
  if (address === null) return { endpoints: [], close: () => Promise.resolve() };
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const server = createServer((request, response) => {
    const answer =
      request.method === 'GET' && Object.hasOwn(paths, request.url ?? '') ? paths[request.url ?? ''] : null;
    const send = ({ status, contentType, body }: InternalReply): void => {
      response.writeHead(status, { 'content-type': contentType });
      response.end(body);
    };
    const refuse = (status: number): void => send({ status, contentType: 'text/plain; charset=utf-8', body: '' });
    if (!answer) return refuse(404);
    void Promise.resolve()
      .then(answer)
      .then(send, () => refuse(500));
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // A URL omits its scheme's default port.
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
