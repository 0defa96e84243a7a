import { describe, expect, it } from 'vitest';
import { isBlocked, LOOPBACK_EGRESS, parseEgressAllow } from '../../domain/egress.ts';

const NOTHING = parseEgressAllow('');

describe('an address that the service does not call', () => {
  it.each([
    ['this network', '0.0.0.0', '0.1.2.3'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
    ['CGNAT', '100.64.0.1', '100.127.255.255'],
    ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
    ['metadata', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
    ['unique local', 'fc00::1', 'fdff::1'],
    ['site-local', 'fec0::1'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
    ['broadcast and reserved', '255.255.255.255', '240.0.0.1', '192.0.0.8', '192.88.99.1'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
    ['unspecified', '::'],
    ['mapped', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::FFFF:192.168.1.1'],
    ['compatible', '::127.0.0.1', '::808:808', '::7f00:1'],
    ['6to4 with a private inside', '2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::'],
    ['NAT64 with a private inside', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::808:808'],
    ['Teredo, ORCHID, discard, SRv6', '2001::1', '2001:20::1', '100::1', '5f00::1'],
    ['unassigned', '4000::1', '8000::1'],
  ])('%s', (_, ...addresses) => {
    for (const address of addresses) expect(isBlocked(address, NOTHING), address).toBe(true);
  });

  it('is one that cannot be read', () => {
    for (const text of [
      '',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '1.2.3',
      '::g',
      '8.8.8.8 ',
      '08.8.8.8',
    ]) {
      expect(isBlocked(text, NOTHING), text).toBe(true);
    }
  });
});

it.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '169.253.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
])('%s is called', (address) => {
  expect(isBlocked(address, NOTHING)).toBe(false);
});

describe('EGRESS_ALLOW', () => {
  it('lets through what it lists and nothing beside it', () => {
    const allow = parseEgressAllow(' 127.0.0.1, 10.1.0.0/16 ,fd00:1::/32,');
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '10.1.2.3', 'fd00:1::5'])
      expect(isBlocked(address, allow), address).toBe(false);
    for (const address of ['127.0.0.2', '10.2.0.1', 'fd00:2::1', '::1'])
      expect(isBlocked(address, allow), address).toBe(true);
    const loopback = parseEgressAllow(LOOPBACK_EGRESS);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1']) expect(isBlocked(address, loopback), address).toBe(false);
    expect(isBlocked('169.254.169.254', loopback)).toBe(true);
  });

  it('takes a list as well, and names what it cannot read', () => {
    expect(parseEgressAllow(['::1', '10.0.0.0/8'])).toHaveLength(2);
    for (const entry of ['localhost', '10.0.0.0/33', '127.1', '*', '10.0.0.0/']) {
      expect(() => parseEgressAllow(`8.8.8.8,${entry}`), entry).toThrow(`"${entry}"`);
    }
  });
});
