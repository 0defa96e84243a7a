import Koa from 'koa';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDependencies } from './dependencies.ts';
import type { DocsSettings } from './docs/docs-site.ts';
import { DOCS_MCP_PATH, serveDocs } from './docs/serve-docs.ts';
import { serveConsole } from './console/serve-console.ts';
import { healthChecks } from './health/health.ts';
import { answerRest } from './http/answer-rest.ts';
import {
  type AnsweredRequest,
  beginRequest,
  boundStrangers,
  logAccess,
  type NetworkSettings,
  requireHttps,
} from './http/every-request.ts';
import { SessionAuthenticator } from './http/sessions.ts';
import { Authenticator } from './http/authenticate.ts';
import { BodyTurns } from './http/bodies.ts';
import type { HttpMiddleware, RequestState } from './http/context.ts';
import { refuseUnknownPath, replyWithErrors } from './http/error-replies.ts';
import type { AnyRoute } from './http/define-route.ts';
import { IdempotencyGate, type IdempotencyOptions } from './http/idempotency.ts';
import { isInteractionsPath, serveInteractions } from './integrations/serve-interactions.ts';
import { serveMcpOnDemand } from './mcp/serve-mcp-on-demand.ts';
import { resourceUrl } from './http/oauth-places.ts';
import { isOAuthPath, serveOAuthOnDemand } from './oauth/serve-oauth-on-demand.ts';
import { answerOtlpFailures } from './runs/otlp/answer-failures.ts';
import type { RouteRunner } from './http/route-runner.ts';
import { serveOpenApi } from './openapi/serve-openapi.ts';
import { isPagePath, replyWithErrorPages } from './pages/error-pages.ts';
import { servePages } from './pages/serve-pages.ts';
import { serveStart } from './pages/start.ts';
import { WorkspaceLimits } from './plans/workspace-limits.ts';
import { serveReference } from './reference/serve-reference.ts';
import { ROUTES } from './routes.ts';
import { refuseFormerRotation } from './signing-keys/refuse-former-path.ts';

export interface ApiOptions {
  routes?: readonly AnyRoute[];
  idempotency?: IdempotencyOptions;
  /** False until everything promised is set up; `/readyz` waits for it. */
  isSetUp?: () => boolean;
  /** By default no proxy is trusted and HTTPS is not required. */
  network?: NetworkSettings;
  /** By default at the root, with relative addresses. */
  docs?: DocsSettings;
  /** Where the console links to workflows; by default nowhere. */
  temporalUi?: string | null;
  onReply?: NonNullable<RouteRunner['onReply']>;
  /** Called once for each request, with what the log says of it. */
  onAnswer?: (request: AnsweredRequest) => void;
  /** Runs each request within something of its own, such as a span. */
  aroundRequest?: HttpMiddleware;
}

const OPEN_NETWORK: NetworkSettings = { publicUrl: null, trustedProxies: [] };
const DOCS_AT_THE_ROOT: DocsSettings = { site: null, base: '' };

export interface Api {
  callback: (request: IncomingMessage, response: ServerResponse) => void;
  /** Ends timers and removes the notification handlers. The dependencies stay open: their creator closes them. */
  close(): void;
}

/** Paths whose bodies are read before the sender is known. */
const isOfStrangers = (path: string): boolean =>
  isOAuthPath(path) || isPagePath(path) || isInteractionsPath(path) || path.endsWith(DOCS_MCP_PATH);

/** The HTTP API over its dependencies. The caller listens and closes server, API and dependencies, in this order. */
export function createApi(deps: ApiDependencies, options: ApiOptions = {}): Api {
  const authenticators = {
    keys: new Authenticator(deps.db, deps.logger, (kind) =>
      deps.pagesUrl === null ? null : resourceUrl(deps.pagesUrl, kind),
    ),
    sessions: new SessionAuthenticator(deps.db, deps.logger, deps.publicOrigins ?? []),
  };
  const idempotency = new IdempotencyGate(deps.db, deps.notifications, deps.logger, options.idempotency);
  const limits = new WorkspaceLimits(deps);
  const network = options.network ?? OPEN_NETWORK;
  const app = new Koa<RequestState>();
  const routes = options.routes ?? ROUTES;
  const runner: RouteRunner = {
    deps,
    authenticators,
    idempotency,
    bodyTurns: new BodyTurns(),
    gates: [limits.beforeScope],
    workGates: [limits.beforeWork],
    ...(options.onReply === undefined ? {} : { onReply: options.onReply }),
  };
  const mcp = serveMcpOnDemand(runner);
  const docsAt = options.docs ?? DOCS_AT_THE_ROOT;
  const docs = serveDocs({ ...docsAt, logger: deps.logger });

  // Koa's own errors, such as a connection that broke during a reply.
  app.on('error', (error: Error) => deps.logger.debug({ message: error.message }, 'connection error'));
  app.use(beginRequest(network));
  if (options.aroundRequest !== undefined) app.use(options.aroundRequest);
  app.use(logAccess(deps.logger, options.onAnswer));
  app.use(replyWithErrors(deps, docsAt.base));
  app.use(healthChecks(deps, options.isSetUp));
  app.use(replyWithErrorPages(deps.logger));
  app.use(requireHttps(network));
  app.use(boundStrangers({ routes, isOfStrangers }));
  app.use(answerOtlpFailures(deps, docsAt.base));
  app.use(answerRest(runner, routes));
  app.use(serveStart(docsAt.base));
  app.use(serveOpenApi(routes));
  app.use(serveReference(routes));
  app.use(docs.serve);
  app.use(serveOAuthOnDemand(runner));
  app.use(serveConsole(options.temporalUi ?? null));
  app.use(servePages(runner));
  app.use(serveInteractions(runner));
  app.use(mcp.middleware);
  app.use(refuseFormerRotation(runner));
  app.use(docs.refuseUnknownApi);
  app.use(refuseUnknownPath(routes));

  const handle = app.callback();
  return {
    callback: (request, response) => void handle(request, response),
    close: () => {
      idempotency.close();
      limits.close();
      // Nothing is open once the server has stopped.
      void mcp.close();
    },
  };
}
