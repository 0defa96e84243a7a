import { describe, expect, it } from 'vitest';
import {
  REQUESTS_PER_MINUTE_MAX,
  SITE_AUTHORIZATIONS_PER_MINUTE_MAX,
  SITE_REGISTRATIONS_PER_HOUR_MAX,
  StrangerLimits,
} from '../../../api/oauth/stranger-limits.ts';
import { parseAddressRanges } from '../../../domain/address-ranges.ts';
import { startTestApi } from '../harness/test-api.ts';

/** How many of the requests are admitted, each from a network of its own in one /48. */
function admittedOf(limits: StrangerLimits, path: string, requests: number): number {
  const addresses = Array.from({ length: requests }, (_, index) => `2001:db8:1:${index.toString(16)}::1`);
  return addresses.filter((address) => limits.admit(address, path)).length;
}

describe('strangers with many IPv6 networks', () => {
  it.each([
    ['/oauth/authorize', SITE_AUTHORIZATIONS_PER_MINUTE_MAX],
    ['/oauth/register', SITE_REGISTRATIONS_PER_HOUR_MAX],
  ])('have one bound for their /48 at %s, and others are not shut out', (path, max) => {
    const limits = new StrangerLimits();
    expect(admittedOf(limits, path, max + 50)).toBe(max);
    expect(limits.admit('2001:db8:2::1', path)).toBe(true);
    expect(limits.admit('192.0.2.1', path)).toBe(true);
    expect(limits.admit('2001:db8:1:ffff::1', '/oauth/token')).toBe(true);
  });

  it('have no bound beside their own where they leave nothing behind', () => {
    const requests = SITE_AUTHORIZATIONS_PER_MINUTE_MAX + 50;
    expect(admittedOf(new StrangerLimits(), '/oauth/jwks', requests)).toBe(requests);
  });

  it('are bounded within one network, as IPv4 is', () => {
    const limits = new StrangerLimits();
    const asked = Array.from({ length: REQUESTS_PER_MINUTE_MAX + 1 }, () =>
      limits.admit('192.0.2.1', '/oauth/authorize'),
    );
    expect(asked.indexOf(false)).toBe(REQUESTS_PER_MINUTE_MAX);
  });

  it('get a 429 of the server itself', async () => {
    const network = { publicUrl: null, trustedProxies: parseAddressRanges('127.0.0.1') };
    const api = await startTestApi({ network });
    try {
      const register = (index: number): Promise<{ status: number }> =>
        api.call('POST', '/oauth/register', {
          body: {},
          headers: { 'X-Forwarded-For': `2001:db8:1:${index.toString(16)}::1` },
        });
      for (let index = 0; index < SITE_REGISTRATIONS_PER_HOUR_MAX; index++) {
        expect((await register(index)).status).toBe(400);
      }
      expect((await register(SITE_REGISTRATIONS_PER_HOUR_MAX)).status).toBe(429);
    } finally {
      await api.close();
    }
  });
});
