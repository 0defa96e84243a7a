import { siteOf } from '../../domain/address-ranges.ts';
import { AddressThrottle } from './address-throttle.ts';
import { OAUTH_PATHS } from '../http/oauth-places.ts';

/** Requests of one network, to all paths here: an authorization takes six. */
export const REQUESTS_PER_MINUTE_MAX = 600;
/** Authorization requests, each of which is kept for its 15 minutes, of all networks in one IPv6 /48. */
export const SITE_AUTHORIZATIONS_PER_MINUTE_MAX = 3_000;
/** Apps that register, of all networks in one IPv6 /48. The registered ones of one network are counted in the database. */
export const SITE_REGISTRATIONS_PER_HOUR_MAX = 200;
const HOUR_MS = 3_600_000;

/**
 * What strangers may ask of one process. A /48 counts as well where they leave something behind: it is sold whole, and gives its holder as many
 * networks as they like. The places in all are not counted: somebody who fills them would shut everybody out.
 */
export class StrangerLimits {
  private readonly requests = new AddressThrottle(REQUESTS_PER_MINUTE_MAX);
  private readonly authorizations = new AddressThrottle(SITE_AUTHORIZATIONS_PER_MINUTE_MAX, { networkOf: siteOf });
  private readonly registrations = new AddressThrottle(SITE_REGISTRATIONS_PER_HOUR_MAX, {
    networkOf: siteOf,
    windowMs: HOUR_MS,
  });

  /** Counts the request, or says that it comes from where too many came from. */
  admit(address: string, path: string): boolean {
    if (!this.requests.admit(address)) return false;
    if (path === OAUTH_PATHS.authorization) return this.authorizations.admit(address);
    return path !== OAUTH_PATHS.registration || this.registrations.admit(address);
  }
}
