import { z } from 'zod';
import { CHAT_ORIGINS } from '../integrations/integrations.ts';
import { baseUrlSchema } from '../base-url.ts';
import {
  addressRangesSchema,
  addressSchema,
  countSchema,
  masterKeysSchema,
  versionedKeysSchema,
  onOffSchema,
  ownEndpointsSchema,
  portSchema,
  postgresUrlSchema,
  publicUrlSchema,
  secretSchema,
  textSchema,
} from './schemas.ts';
import { EMBEDDINGS } from './embeddings.ts';
import { LOOPBACK_EGRESS } from '../egress.ts';
import { DOCUMENTATION } from './documentation.ts';
import { OAUTH } from './oauth.ts';
import { PAYMENTS } from './payments.ts';
import { PLANS } from '../plans.ts';
import { FILE_STORE } from './file-store.ts';
import { HIGH_AVAILABILITY } from './high-availability.ts';
import { FAIR_SHARES } from './fair-shares.ts';
import { MAIL_SERVER } from './mail-server.ts';
import { INVOKING } from './invoking.ts';
import { INTERNAL_LISTENERS } from './internal-listeners.ts';
import { PROCESS_KINDS, type ProcessKind, type Variable } from './variable.ts';

export { PROCESS_KINDS, type ProcessKind, type Variable };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const SERVICE = ['api', 'worker'] as const;
const ALL = PROCESS_KINDS;

/** The table of all variables. The parsing below and docs/reference/configuration.md are both made from it. */
export const VARIABLES = {
  PORT: { meaning: 'Port of the HTTP API.', default: '8080', processes: ['api', 'embedded'], schema: portSchema(0) },
  HOST: {
    meaning: 'Address that the HTTP API listens on.',
    default: '0.0.0.0',
    embeddedDefault: '127.0.0.1',
    processes: ['api', 'embedded'],
    schema: textSchema,
  },
  DATABASE_URL: {
    meaning:
      "The application's PostgreSQL login. It must be neither superuser nor BYPASSRLS nor own a table: those see every environment's rows. With the embedded stack: use this PostgreSQL and start none; an owner's URL is migrated with, and a plain login of its own is made and used.",
    default: null,
    processes: ALL,
    required: SERVICE,
    schema: postgresUrlSchema,
  },
  MIGRATION_DATABASE_URL: {
    meaning: 'The login that owns the tables, for `npm run db:migrate`. Where it is not set, DATABASE_URL is used.',
    default: null,
    processes: ['setup', 'embedded'],
    schema: postgresUrlSchema,
  },
  DATABASE_POOL_MAX: {
    meaning:
      'Database connections of one process at most; one more listens for notifications. An API with RUN_INVOCATIONS, and `npm start`, have as many again.',
    default: '20',
    processes: ['api', 'worker', 'embedded'],
    schema: countSchema(2, 1_000),
  },
  ...HIGH_AVAILABILITY,
  TEMPORAL_ADDRESS: {
    meaning: 'Temporal frontend, as host:port. With the embedded stack: use this Temporal and start none.',
    default: null,
    processes: ALL,
    required: ['api', 'worker'],
    schema: addressSchema,
  },
  TEMPORAL_NAMESPACE: {
    meaning: 'Temporal namespace. One installation to a namespace: the workers of a second one would take its tasks.',
    default: 'default',
    processes: ALL,
    schema: textSchema,
  },
  TEMPORAL_TLS: {
    meaning: '`on` or `off`. On by itself where one of the other TLS variables or TEMPORAL_API_KEY is set.',
    default: 'off',
    processes: ALL,
    schema: onOffSchema,
  },
  TEMPORAL_TLS_SERVER_NAME: {
    meaning: "Name that the Temporal server's certificate is checked against, where it is not the host of the address.",
    default: null,
    processes: ALL,
    schema: textSchema,
  },
  TEMPORAL_TLS_CA: {
    meaning: 'File (PEM) of the authority that signed the Temporal server’s certificate.',
    default: null,
    processes: ALL,
    schema: textSchema,
  },
  TEMPORAL_TLS_CERT: {
    meaning: 'File (PEM) of the client certificate for mutual TLS. Needs TEMPORAL_TLS_KEY.',
    default: null,
    processes: ALL,
    schema: textSchema,
  },
  TEMPORAL_TLS_KEY: {
    meaning: "File (PEM) of the client certificate's key. Needs TEMPORAL_TLS_CERT.",
    default: null,
    processes: ALL,
    schema: textSchema,
  },
  TEMPORAL_API_KEY: {
    meaning: 'API key for a Temporal that asks for one, such as Temporal Cloud.',
    default: null,
    processes: ALL,
    schema: secretSchema,
  },
  TEMPORAL_PAYLOAD_KEYS: {
    meaning:
      'Keys that seal what Temporal stores of arguments and results, in the form of MASTER_KEYS; with every key marked `~`, they only open. The same for API, worker and commands (docs/operations.md). Not set: nothing is sealed, and histories hold ids and small facts.',
    default: null,
    processes: ALL,
    schema: versionedKeysSchema,
  },
  MASTER_KEYS: {
    meaning:
      'Keys that seal the secrets: `1:<base64 of 32 bytes>,~2:…`. Every one opens; the highest version without `~` seals. The embedded stack makes one in DATA_DIR.',
    default: null,
    processes: ALL,
    required: SERVICE,
    schema: masterKeysSchema,
  },
  EGRESS_ALLOW: {
    meaning:
      'Comma-separated addresses or CIDRs that actions, messages and the import of descriptions may call although they are private, loopback or otherwise blocked. An empty value is none.',
    default: '',
    embeddedDefault: LOOPBACK_EGRESS,
    processes: ['api', 'worker', 'embedded'],
    emptyCounts: true,
    schema: addressRangesSchema,
  },
  OWN_ENDPOINTS: {
    meaning:
      'Comma-separated host:port, or host for all of its ports, of what else belongs to the service (the Temporal UI, other ports of Temporal, the API as a worker reaches it). No action, message or import reaches them, whatever EGRESS_ALLOW says. PostgreSQL, Temporal, METRICS_ADDRESS, HEALTH_ADDRESS and the API’s own port are known without it.',
    default: '',
    processes: ['api', 'worker', 'embedded'],
    schema: ownEndpointsSchema,
  },
  ...INVOKING,
  SLACK_API_BASE_URL: {
    meaning: 'Where integrations reach Slack: a proxy, or a stand-in for tests. It sees the credentials.',
    default: CHAT_ORIGINS.slack,
    processes: ['api', 'worker', 'embedded'],
    schema: baseUrlSchema,
  },
  DISCORD_API_BASE_URL: {
    meaning: 'Where integrations reach Discord: a proxy, or a stand-in for tests. It sees the credentials.',
    default: CHAT_ORIGINS.discord,
    processes: ['api', 'worker', 'embedded'],
    schema: baseUrlSchema,
  },
  ...MAIL_SERVER,
  ...EMBEDDINGS,
  ...FILE_STORE,
  PUBLIC_URL: {
    meaning:
      'Origin that clients reach the service by, for example `https://api.example.com`. With https, a request that came in clear is refused with HTTPS_REQUIRED (health checks excepted).',
    default: null,
    processes: ['api', 'worker', 'embedded'],
    schema: publicUrlSchema,
  },
  TEMPORAL_UI_URL: {
    meaning: 'Address of Temporal’s web UI, to which the console links each invocation. Not set: no links.',
    default: null,
    processes: ['api', 'embedded'],
    schema: baseUrlSchema,
  },
  ...DOCUMENTATION,
  ...OAUTH,
  ...PAYMENTS,
  TRUSTED_PROXIES: {
    meaning:
      'Comma-separated addresses or CIDRs of the proxies in front of the API. X-Forwarded-For, X-Forwarded-Proto and Forwarded count only where one of these sent them.',
    default: '',
    processes: ['api', 'embedded'],
    schema: addressRangesSchema,
  },
  HTTP_CONNECTIONS_MAX: {
    meaning: 'Connections that one API process holds at most. Further ones are closed at once; idle ones make room.',
    default: '4000',
    processes: ['api', 'embedded'],
    schema: countSchema(1, 1_000_000),
  },
  HTTP_CONNECTIONS_PER_ADDRESS_MAX: {
    meaning: 'The same for one IPv4 address or one IPv6 /64. The proxies of TRUSTED_PROXIES are exempt.',
    default: '2000',
    processes: ['api', 'embedded'],
    schema: countSchema(1, 1_000_000),
  },
  HTTP_HEADERS_TIMEOUT_SECONDS: {
    meaning: 'How long a client may take to send the headers of a request. Then 408, and the connection ends.',
    default: '15',
    processes: ['api', 'embedded'],
    schema: countSchema(1, 3_600),
  },
  HTTP_REQUEST_TIMEOUT_SECONDS: {
    meaning: 'How long a client may take to send a whole request. Then 408, and the connection ends.',
    default: '60',
    processes: ['api', 'embedded'],
    schema: countSchema(1, 3_600),
  },
  DEFAULT_PLAN: {
    meaning: `Plan of a new workspace, one of ${PLANS.join(', ')}.`,
    default: 'free',
    embeddedDefault: 'enterprise',
    processes: ['setup', 'embedded'],
    schema: z.enum(PLANS, `must be one of ${PLANS.join(', ')}`),
  },
  LOG_LEVEL: {
    meaning: `One of ${LOG_LEVELS.join(', ')}.`,
    default: 'info',
    processes: ALL,
    schema: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
  },
  ...INTERNAL_LISTENERS,
  SHUTDOWN_GRACE_SECONDS: {
    meaning:
      'How long a process that was told to stop lets its work finish. A call that is cut off then becomes `unknown` and is reconciled.',
    default: '30',
    embeddedDefault: '10',
    processes: ['api', 'worker', 'embedded'],
    schema: countSchema(0, 3_600),
  },
  ...FAIR_SHARES,
  DATA_DIR: {
    meaning: 'Folder of the embedded stack: databases, credentials.json, the master key, logs.',
    default: '.local',
    processes: ['setup', 'embedded'],
    schema: textSchema,
  },
  API_URL: {
    meaning:
      'Where `npm run policies` reaches the API, for example `https://api.example.com`. Not set: the embedded stack of DATA_DIR.',
    default: null,
    processes: ['setup'],
    schema: baseUrlSchema,
  },
  API_KEY: {
    meaning:
      'The key that `npm run policies` works with; it names the environment. Not set: that of the embedded stack.',
    default: null,
    processes: ['setup'],
    schema: secretSchema,
  },
  POSTGRES_PORT: {
    meaning: 'Port of the embedded PostgreSQL; 0 takes a free one.',
    default: '0',
    processes: ['embedded'],
    schema: portSchema(0),
  },
  TEMPORAL_PORT: {
    meaning: 'Port of the embedded Temporal dev server.',
    default: '7233',
    processes: ['embedded'],
    schema: portSchema(0),
  },
  TEMPORAL_UI_PORT: {
    meaning: 'Port of its web UI.',
    default: '8233',
    processes: ['embedded'],
    schema: portSchema(0),
  },
  TEMPORAL_CLI_PATH: {
    meaning:
      'File of the Temporal CLI, where it should not be looked for (PATH, the project’s cache, a download, PyPI).',
    default: null,
    processes: ['embedded'],
    schema: textSchema,
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;
type Output<Name extends VariableName> = z.output<(typeof VARIABLES)[Name]['schema']>;
type Always<Kind, V> = V extends { default: string }
  ? true
  : V extends { required: readonly (infer R)[] }
    ? Kind extends R
      ? true
      : false
    : false;

/** Values by variable name; `null` is possible only for an optional variable without a default. */
export type Configuration<Kind extends ProcessKind> = {
  readonly [Name in VariableName as Kind extends (typeof VARIABLES)[Name]['processes'][number] ? Name : never]:
    Output<Name> | (Always<Kind, (typeof VARIABLES)[Name]> extends true ? never : null);
};
