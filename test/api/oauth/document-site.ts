import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED_CERTIFICATE_FILE, SELF_SIGNED_KEY_FILE } from '../../harness/target.ts';

export const DOCUMENT_REDIRECT = 'http://127.0.0.1:4711/callback';

/** The https server of a client that registers nowhere. Only who trusts the certificate of the tests as an authority reads its document. */
export interface DocumentSite {
  clientId: string;
  /** What it was asked for, after a handshake that both sides accepted. */
  requests: string[];
  connections: () => number;
  close(): Promise<void>;
}

export async function startDocumentSite(): Promise<DocumentSite> {
  const requests: string[] = [];
  let connections = 0;
  const [cert, key] = [readFileSync(SELF_SIGNED_CERTIFICATE_FILE), readFileSync(SELF_SIGNED_KEY_FILE)];
  const server = createServer({ cert, key }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const described = { client_id: clientId, client_name: 'Documented agent', redirect_uris: [DOCUMENT_REDIRECT] };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ ...described, token_endpoint_auth_method: 'none' }));
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clientId = `https://localhost:${(server.address() as AddressInfo).port}/client.json`;
  return {
    clientId,
    requests,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
