import { ServiceError } from '../../domain/errors.ts';
import { ConnectionsByNetwork } from './connections-by-network.ts';
import type { HttpMiddleware } from './context.ts';
import type { AnyRoute } from './define-route.ts';
import { clientAddress } from './transport-security.ts';

/** Each holds a connection, and a body of up to 64 KiB, until its request times out. */
export const STRANGERS_AN_ADDRESS_MAX = 200;

export interface BoundStrangersOptions {
  routes: readonly AnyRoute[];
  /** Other paths whose bodies are read before it is known who sends them: pages, OAuth, chat systems. */
  isOfStrangers(path: string): boolean;
}

/**
 * Bounds the connections of one IPv4 address or IPv6 /64 that send a body to a path which looks at no credential before: a stranger who
 * stalls uses their own share. The address is the client's behind a trusted proxy. Elsewhere the credential is looked at before the body,
 * and whoever has none is answered at once.
 */
export function boundStrangers({ routes, isOfStrangers }: BoundStrangersOptions): HttpMiddleware {
  const connections = new ConnectionsByNetwork(STRANGERS_AN_ADDRESS_MAX);
  const publicPaths = routes
    .filter(({ of, method }) => of === 'public' && method !== 'GET')
    .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  return (ctx, next) => {
    const sendsBody = ctx.method !== 'GET' && ctx.method !== 'HEAD';
    if (!sendsBody || !(isOfStrangers(ctx.path) || publicPaths.some((path) => path.test(ctx.path)))) return next();
    const leave = connections.enter(clientAddress(ctx));
    if (leave === null) {
      // The rest of the body is not waited for.
      ctx.set('Connection', 'close');
      throw new ServiceError('SERVICE_UNAVAILABLE', {
        message: `${STRANGERS_AN_ADDRESS_MAX} requests from this network are being read. Try again when one of them has ended.`,
      });
    }
    ctx.res.once('close', leave);
    return next();
  };
}
