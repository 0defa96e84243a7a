import type { Configuration } from '../domain/configuration/configuration.ts';
import { chatsOf } from '../process/api-surroundings.ts';
import type { ApiParts } from '../server.ts';
import { LOOPBACK } from './ports.ts';

/** Links lead to PUBLIC_URL, otherwise to where this machine reaches the API; without a fixed port there is no link yet. */
export function reachedBy(
  configuration: Configuration<'embedded'>,
): Pick<ApiParts, 'network' | 'pagesUrl' | 'docs' | 'redirectSchemes' | 'publishableKey' | 'chats'> {
  const { PUBLIC_URL: publicUrl, TRUSTED_PROXIES: trustedProxies, HOST, PORT } = configuration;
  const local = PORT === 0 ? null : `http://${reachableHost(HOST)}:${PORT}`;
  return {
    network: { publicUrl, trustedProxies },
    pagesUrl: publicUrl ?? local,
    docs: { site: configuration.DOCS_URL, base: configuration.DOCS_BASE },
    redirectSchemes: configuration.OAUTH_REDIRECT_SCHEMES,
    publishableKey: configuration.STRIPE_PUBLISHABLE_KEY,
    chats: chatsOf(configuration),
  };
}

/** The host that a local client calls: a server that listens on all addresses is reachable on the loopback too. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return LOOPBACK;
  return host.includes(':') ? `[${host}]` : host;
}
