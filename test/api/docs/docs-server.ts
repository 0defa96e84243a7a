import Koa from 'koa';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { type DocsOptions, serveDocs } from '../../../api/docs/serve-docs.ts';
import { serveStart } from '../../../api/pages/start.ts';
import type { RequestState } from '../../../api/http/context.ts';
import { beginRequest } from '../../../api/http/every-request.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';

export interface DocsServer {
  baseUrl: string;
  close(): Promise<void>;
}

/** The documentation alone, over HTTP and without a database: what it serves needs none. */
export async function startDocsServer(settings: Partial<DocsOptions> = {}): Promise<DocsServer> {
  const docs = serveDocs({ site: null, base: '', logger: pino({ level: 'silent' }), ...settings });
  const app = new Koa<RequestState>();
  app.use(beginRequest({ publicUrl: null, trustedProxies: [] }));
  app.use(serveStart(settings.base ?? ''));
  app.use(docs.serve);
  app.use(docs.refuseUnknownApi);
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: closesWithFile(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}
