import { type Check, fail, type Finding, ok, skipped } from './check.ts';
import { isPlaceholder } from '../../domain/configuration/placeholders.ts';
import type { AddressRanges } from '../../domain/address-ranges.ts';
import { isBlocked } from '../../domain/egress.ts';
import type { Settings } from './settings.ts';

const CONFIGURATION = 'reference/configuration.md';
const PROXIES = 'operations.md#what-else-it-needs';
/** Where the machines of clouds keep credentials, for whoever asks. */
const METADATA_ADDRESSES = ['169.254.169.254', 'fd00:ec2::254'];
/** Wider ranges than these hold more than one operator's proxies. */
const PROXY_BITS_MIN = { ipv4: 8, ipv6: 16 };
const PROVIDERS = [
  'STRIPE_API_BASE_URL',
  'RESEND_API_BASE_URL',
  'SLACK_API_BASE_URL',
  'DISCORD_API_BASE_URL',
  'EMBEDDINGS_BASE_URL',
] as const;

const pure = (check: Omit<Check, 'run'> & { judge: (settings: Settings) => Finding }): Check => {
  const { judge, ...rest } = check;
  return { ...rest, run: ({ settings }) => judge(settings) };
};

/** What the settings say by themselves. */
export const SETTINGS_CHECKS: readonly Check[] = [
  pure({
    name: 'configuration',
    page: CONFIGURATION,
    holds: 'API and worker can use the environment',
    judge: ({ problems, dataDir }) =>
      problems.length > 0
        ? fail(`API or worker would refuse this: ${problems.join(' ')}`, 'correct these variables')
        : ok(
            dataDir === null
              ? 'API and worker can use this environment.'
              : `This is the stack of npm start on ${dataDir}.`,
          ),
  }),
  pure({
    name: 'placeholders',
    page: CONFIGURATION,
    holds: 'No variable holds the placeholder of an example',
    judge: ({ environment }) => {
      const left = placeholdersIn(environment);
      return left.length > 0
        ? fail(`The placeholder of an example is left in ${left.join(', ')}`, 'set values of your own')
        : ok('No variable holds the placeholder of an example.');
    },
  }),
  pure({
    name: 'trusted-proxies-range',
    page: PROXIES,
    holds: 'TRUSTED_PROXIES names proxies, and not the whole network',
    judge: ({ values }) => {
      const wide = tooWide(values.TRUSTED_PROXIES ?? []);
      return wide.length > 0
        ? fail(
            `TRUSTED_PROXIES trusts ${wide.join(', ')}, so any client may claim any address and HTTPS`,
            'name the addresses of the proxies alone',
          )
        : ok(`TRUSTED_PROXIES has ${(values.TRUSTED_PROXIES ?? []).length} ranges, and none is too wide.`);
    },
  }),
  pure({
    name: 'egress-allow',
    page: 'adapters.md#where-it-may-go',
    holds: 'EGRESS_ALLOW lets no action reach the metadata of a cloud',
    judge: ({ values }) => {
      const reached = METADATA_ADDRESSES.filter((address) => !isBlocked(address, values.EGRESS_ALLOW ?? []));
      return reached.length > 0
        ? fail(
            `EGRESS_ALLOW lets actions reach ${reached.join(' and ')}, where clouds keep credentials of the machine`,
            'allow the addresses that actions need, and no more',
          )
        : ok('EGRESS_ALLOW lets no action reach the metadata of a cloud.');
    },
  }),
  pure({
    name: 'provider-addresses',
    page: CONFIGURATION,
    holds: 'Credentials for providers do not cross the network in clear',
    judge: ({ values }) => {
      const inClear = PROVIDERS.filter((name) => crossesInClear(values[name] ?? ''));
      return inClear.length > 0
        ? fail(`${inClear.join(', ')} sends credentials in clear`, 'use https://, or a proxy on this machine')
        : ok('Every address of a provider is https, or on this machine.');
    },
  }),
  pure({
    name: 'database-tls',
    page: 'operations.md#postgresql',
    holds: 'PostgreSQL is not reached in clear over a public address',
    judge: ({ values }) => {
      if (values.DATABASE_URL === null) return skipped('DATABASE_URL is not set.');
      const { hostname, searchParams } = new URL(values.DATABASE_URL);
      const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? 'disable';
      return isPublic(hostname) && ['disable', 'allow', 'prefer', 'false'].includes(mode)
        ? fail(
            'DATABASE_URL leads to a public address without TLS',
            'add sslmode=verify-full, or use a private network',
          )
        : ok('DATABASE_URL uses TLS or names no public address.');
    },
  }),
  pure({
    name: 'temporal-tls',
    page: 'operations.md#temporal',
    holds: 'Temporal is not reached in clear over a public address',
    judge: ({ values }) => {
      const { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: tls } = values;
      if (address === null) return skipped('TEMPORAL_ADDRESS is not set.');
      const others = [
        values.TEMPORAL_API_KEY,
        values.TEMPORAL_TLS_CA,
        values.TEMPORAL_TLS_CERT,
        values.TEMPORAL_TLS_SERVER_NAME,
      ];
      const isClear = tls !== true && others.every((value) => value === null);
      return isClear && isPublic(address.slice(0, address.lastIndexOf(':')))
        ? fail('TEMPORAL_ADDRESS is a public address without TLS', 'set TEMPORAL_TLS=on, or use a private network')
        : ok('TEMPORAL_ADDRESS uses TLS or is no public address.');
    },
  }),
];

/** Names of variables whose value is, or has in it, what an example has for one's own. */
function placeholdersIn(environment: Settings['environment']): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (!/_URL$|KEYS?$|PASSWORD|SECRET|_FROM$|S3_ENDPOINT/.test(name) || name.startsWith('npm_') || value === '')
      return [];
    const url = URL.canParse(value) ? new URL(value) : null;
    const keys = value.split(',').map((entry) => entry.trim().replace(/^~?\d+:/, ''));
    const texts = url === null ? [value, ...keys] : [url.password];
    const isExample = /(^|[.@])example(\.(com|org|net))?$/.test(url?.hostname ?? (name === 'MAIL_FROM' ? value : ''));
    return isExample || texts.some((text) => text !== '' && isPlaceholder(text)) ? [name] : [];
  });
}

function tooWide(ranges: AddressRanges): string[] {
  return ranges.flatMap(([address, bits]) =>
    bits < PROXY_BITS_MIN[address.kind()] ? [`${address.toString()}/${bits}`] : [],
  );
}

function crossesInClear(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** A name may have any address: only an address itself is known to be public. */
function isPublic(host: string): boolean {
  return !isBlocked(host.replace(/^\[|\]$/g, ''), []);
}
