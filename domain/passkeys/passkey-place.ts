import { isIP } from 'node:net';

/** Where a passkey belongs (WebAuthn, "relying party"): it works on this host alone, and browsers make none elsewhere. */
export interface PasskeyPlace {
  rpId: string;
  origin: string;
}

/**
 * The place of the passkeys of a service that people reach at `publicOrigin`, for a page of the origin `asking`; or in words why there are
 * none. A service of this machine is reached at addresses and as localhost, and passkeys work on the name alone.
 */
export function passkeyPlaceOf(publicOrigin: string | null, asking: string | null): PasskeyPlace | { problem: string } {
  const page = asking !== null && URL.canParse(asking) ? new URL(asking) : null;
  const reached = publicOrigin === null ? page : new URL(publicOrigin);
  if (reached === null) return { problem: 'Passkeys need an address: an operator sets PUBLIC_URL.' };
  if (isOfThisMachine(reached)) {
    if (page?.hostname === 'localhost') return { rpId: 'localhost', origin: page.origin };
    if (reached.hostname !== 'localhost') return { problem: localhostInstead(reached) };
    return { rpId: 'localhost', origin: reached.origin };
  }
  if (isAddress(reached.hostname)) {
    const remedy = 'An operator sets PUBLIC_URL to a name; on the machine itself, localhost is one.';
    return { problem: `A passkey belongs to a name, and ${reached.hostname} is an IP address. ${remedy}` };
  }
  if (publicOrigin === null) return { problem: 'Passkeys need an address: an operator sets PUBLIC_URL.' };
  if (reached.protocol !== 'https:') return { problem: `Passkeys need HTTPS, and ${reached.origin} has none.` };
  return { rpId: reached.hostname, origin: reached.origin };
}

function isOfThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function localhostInstead({ protocol, hostname, port }: URL): string {
  const instead = `${protocol}//localhost${port === '' ? '' : `:${port}`}`;
  return `A passkey belongs to a name, and ${hostname} is an IP address. Open ${instead} instead.`;
}
