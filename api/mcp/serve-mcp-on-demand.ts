import { remembered } from '../../domain/remembered.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import { isMcpPath } from '../http/mcp-path.ts';
import type { McpEndpoint } from './serve-mcp.ts';

/** Loads the endpoint at its first request: the protocol's package takes some 8 MB. */
export function serveMcpOnDemand(runner: RouteRunner): McpEndpoint {
  const load = remembered(async () => (await import('./serve-mcp.ts')).serveMcp(runner));
  let loaded: Promise<McpEndpoint> | null = null;
  return {
    middleware: async (ctx, next) => {
      if (!isMcpPath(ctx.path)) return next();
      loaded = load();
      return (await loaded).middleware(ctx, next);
    },
    close: async () => (await loaded)?.close(),
  };
}
