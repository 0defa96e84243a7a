import { describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../domain/address-ranges.ts';
import { originOf, type ReceivedRequest } from '../../domain/forwarding.ts';

const TRUSTED = parseAddressRanges('10.0.0.0/8, 2001:db8:1::/48');
const PROXY = '10.0.0.7';
const CLIENT = '203.0.113.9';

const received = (over: Partial<ReceivedRequest> & { peer?: string | null }): ReceivedRequest => ({
  peerAddress: over.peer === undefined ? PROXY : over.peer,
  encrypted: false,
  forwardedFor: '',
  forwardedProto: '',
  forwarded: '',
  ...over,
});
const origin = (over: Parameters<typeof received>[0]): [boolean, string | null] => {
  const { secure, clientAddress } = originOf(received(over), TRUSTED);
  return [secure, clientAddress];
};

describe('where a request came from', () => {
  it.each<[string, Parameters<typeof received>[0], boolean, string | null]>([
    ['a connection in clear', { peer: CLIENT }, false, CLIENT],
    ['a TLS connection', { peer: CLIENT, encrypted: true }, true, CLIENT],
    ['an IPv4 address in IPv6', { peer: '::ffff:203.0.113.9' }, false, CLIENT],
    ['a local socket', { peer: null }, false, null],
    [
      'a stranger’s headers',
      { peer: CLIENT, forwardedFor: '1.2.3.4', forwardedProto: 'https', forwarded: 'for=1.2.3.4;proto=https' },
      false,
      CLIENT,
    ],
    ['a stranger’s headers over TLS', { peer: CLIENT, encrypted: true, forwardedProto: 'http' }, true, CLIENT],
    ['a proxy that says nothing', {}, false, PROXY],
    ['a proxy that says nothing, over TLS', { encrypted: true }, true, PROXY],
    ['a proxy', { forwardedFor: CLIENT, forwardedProto: 'https' }, true, CLIENT],
    ['a proxy, in capitals', { forwardedFor: CLIENT, forwardedProto: 'HTTPS' }, true, CLIENT],
    ['a proxy that took it in clear', { forwardedFor: CLIENT, forwardedProto: 'http' }, false, CLIENT],
    [
      'a proxy that took it in clear and came over TLS',
      { encrypted: true, forwardedFor: CLIENT, forwardedProto: 'http' },
      false,
      CLIENT,
    ],
    ['a proxy that names the protocol alone', { forwardedProto: 'https' }, true, PROXY],
    ['a proxy that names the address alone', { forwardedFor: CLIENT }, false, CLIENT],
    ['a proxy with ports', { forwardedFor: `${CLIENT}:4711`, forwardedProto: 'https' }, true, CLIENT],
    ['an IPv6 client', { forwardedFor: '[2001:DB8:2::9]:4711', forwardedProto: 'https' }, true, '2001:db8:2::9'],
    ['two proxies', { forwardedFor: `${CLIENT}, 10.0.0.8`, forwardedProto: 'https, http' }, true, CLIENT],
    [
      'two proxies, the first one in clear',
      { forwardedFor: `${CLIENT}, 10.0.0.8`, forwardedProto: 'http, https' },
      false,
      CLIENT,
    ],
    ['two proxies, one protocol', { forwardedFor: `${CLIENT}, 10.0.0.8`, forwardedProto: 'https' }, true, CLIENT],
    [
      'two proxies, protocols that do not add up',
      { forwardedFor: CLIENT, forwardedProto: 'https, http' },
      false,
      CLIENT,
    ],
    [
      'a client that wrote an address before the proxy',
      { forwardedFor: `1.2.3.4, ${CLIENT}`, forwardedProto: 'https, http' },
      false,
      CLIENT,
    ],
    [
      'a client that wrote a proxy’s address',
      { forwardedFor: `10.9.9.9, ${CLIENT}`, forwardedProto: 'http' },
      false,
      CLIENT,
    ],
    ['a proxy within the proxies', { forwardedFor: '10.0.0.8, 10.0.0.9', forwardedProto: 'https' }, true, '10.0.0.8'],
    ['a proxy that hides the client', { forwardedFor: 'unknown', forwardedProto: 'https' }, true, PROXY],
    ['Forwarded', { forwarded: `for=${CLIENT};proto=https;by=10.0.0.7` }, true, CLIENT],
    ['Forwarded, quoted IPv6', { forwarded: 'For="[2001:db8:2::9]:4711";Proto=HTTPS' }, true, '2001:db8:2::9'],
    ['Forwarded by two', { forwarded: `for=${CLIENT};proto=https, for=10.0.0.8;proto=http` }, true, CLIENT],
    [
      'Forwarded written by the client first',
      { forwarded: `for=1.2.3.4;proto=https, for=${CLIENT};proto=http` },
      false,
      CLIENT,
    ],
    [
      'Forwarded by the client, X-Forwarded by the proxy',
      { forwarded: 'for=1.2.3.4;proto=https', forwardedFor: CLIENT, forwardedProto: 'http' },
      false,
      CLIENT,
    ],
    [
      'X-Forwarded-Proto by the client, Forwarded by the proxy',
      { forwarded: `for=${CLIENT};proto=http`, forwardedProto: 'https' },
      false,
      CLIENT,
    ],
    ['an IPv6 proxy', { peer: '2001:db8:1::1', forwardedFor: CLIENT, forwardedProto: 'https' }, true, CLIENT],
  ])('%s', (_, over, secure, address) => {
    expect(origin(over)).toEqual([secure, address]);
  });
});
