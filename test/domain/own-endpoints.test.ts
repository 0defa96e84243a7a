import { describe, expect, it } from 'vitest';
import { canonicalAddress, configuredEndpoints, parseOwnEndpoint } from '../../domain/own-endpoints.ts';

describe('an endpoint of the service', () => {
  it.each([
    ['temporal-ui', { host: 'temporal-ui', port: null }],
    ['temporal:7243', { host: 'temporal', port: 7243 }],
    ['10.0.0.5:8080', { host: '10.0.0.5', port: 8080 }],
    ['[::1]', { host: '::1', port: null }],
    ['[fd00::5]:5432', { host: 'fd00::5', port: 5432 }],
  ])('%s', (text, endpoint) => expect(parseOwnEndpoint(text)).toEqual(endpoint));

  it.each(['', ':80', 'a:b', 'http://x', 'host:0', 'host:65536', '[zz]:1', '::1', 'a b'])('%s is none', (text) =>
    expect(parseOwnEndpoint(text)).toBeNull(),
  );
});

it('knows PostgreSQL, Temporal, the mail server and what else is named from the settings', () => {
  const settings = {
    TEMPORAL_ADDRESS: 'temporal:7233',
    SMTP_ADDRESS: '[fd00::9]:587',
    OWN_ENDPOINTS: [{ host: 'ui', port: null }],
  };
  const rest = [
    { host: 'temporal', port: 7233 },
    { host: 'fd00::9', port: 587 },
    { host: 'ui', port: null },
  ];
  const endpoints = (DATABASE_URL: string) => configuredEndpoints({ ...settings, DATABASE_URL });
  expect(endpoints('postgresql://a:b@db/service')).toEqual([{ host: 'db', port: 5432 }, ...rest]);
  expect(endpoints('postgresql://a:b@[::1]:6000/service')).toEqual([{ host: '::1', port: 6000 }, ...rest]);
  expect(endpoints('postgresql://a:b@x/service?host=db2&port=6001')).toEqual([{ host: 'db2', port: 6001 }, ...rest]);
  expect(endpoints('postgresql://a:b@x/service?host=/run/postgresql')).toEqual(rest);
});

it.each([
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['64:ff9b::7f00:1', '127.0.0.1'],
  ['2002:7f00:1::', '127.0.0.1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['localhost', null],
])('%s is one spelling of %s', (text, canonical) => expect(canonicalAddress(text)).toBe(canonical));
