import { expect, it } from 'vitest';
import { ConnectionsByNetwork } from '../../../api/http/http-server.ts';

it.each([
  ['the same IPv4 address', '192.0.2.7', '192.0.2.7', true],
  ['another IPv4 address', '192.0.2.7', '192.0.2.8', false],
  ['the IPv6 form of the same IPv4 address', '192.0.2.7', '::ffff:192.0.2.7', true],
  ['another address of the same /64', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2', true],
  ['an address of the next /64', '2001:db8:0:1::1', '2001:db8:0:2::1', false],
])('%s', (_, first, second, isCountedTogether) => {
  const connections = new ConnectionsByNetwork(1);
  const leave = connections.enter(first);
  expect(leave).not.toBeNull();
  expect(connections.enter(second) === null).toBe(isCountedTogether);
  leave?.();
  expect(connections.enter(first)).not.toBeNull();
});
