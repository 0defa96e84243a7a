import { describe, expect, it } from 'vitest';
import { networkOf, siteOf } from '../../domain/address-ranges.ts';

describe('whom an address stands for when it is counted', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['unknown', 'unknown'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:DB8:1:ffff::9', '2001:db8:1::/48'],
    ['2001:db8:2::9', '2001:db8:2::/48'],
    ['192.0.2.7', null],
    ['::ffff:192.0.2.7', null],
    ['unknown', null],
  ])('%s is of the site %s', (address, site) => {
    expect(siteOf(address)).toBe(site);
  });
});
