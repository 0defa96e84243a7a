import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { describe, expect, inject, test } from 'vitest';
import { VARIABLES, type ProcessKind } from '../../domain/configuration/configuration.ts';
import { readConfiguration } from '../../domain/configuration/read-configuration.ts';
import { PROJECT_ROOT } from '../architecture/source-tree.ts';
import { temporalVersion } from '../ops/temporal/temporal-server.ts';

/** These tests run without a container engine, and check what the files alone can show. */

interface Service {
  image?: string;
  build?: unknown;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  networks?: string[];
  ports?: string[];
  volumes?: string[];
  configs?: { source: string; target: string }[];
  restart?: string;
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
}
interface Compose {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
  configs: Record<string, { content: string } | { file: string }>;
}

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const TEXT = read('docker-compose.yml');
const COMPOSE = load(TEXT, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;
const { services } = COMPOSE;

/** The services that run this project's own code, with the kind of process of each. */
const OURS: Record<string, ProcessKind> = { migrate: 'setup', 'temporal-setup': 'setup', api: 'api', worker: 'worker' };

function service(name: string): Service {
  const found = services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

/** `.env` as a careful reader of .env.example would fill it in. */
const FILLED_IN: Record<string, string> = {
  POSTGRES_PASSWORD: 'a1',
  OWNER_PASSWORD: 'b2',
  APPLICATION_PASSWORD: 'c3',
  TEMPORAL_PASSWORD: 'd4',
  MASTER_KEYS: `1:${Buffer.from('a random key of exactly 32 bytes').toString('base64')}`,
  PUBLIC_URL: 'https://api.example.com',
  TRUSTED_PROXIES: '172.18.0.1',
  EGRESS_ALLOW: '10.0.0.0/8',
  DOCS_URL: 'https://docs.example.com',
  DOCS_BASE: '/handbook',
  TEMPORAL_UI_URL: 'https://temporal.example.com',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_51Example',
  LOG_LEVEL: 'debug',
  METRICS_ADDRESS: '0.0.0.0:9464',
  TEMPORAL_PAYLOAD_KEYS: `~1:${Buffer.from('another key of exactly 32 bytes!').toString('base64')}`,
};

/** Compose's interpolation, as far as this file uses it: `${NAME:?message}` and `${NAME:-default}`. */
function interpolate(value: string): string {
  return value.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_whole, name: string, operator: string, rest: string) => {
    const given = FILLED_IN[name] ?? '';
    if (given === '' && operator === '?') throw new Error(`${name}: ${rest}`);
    return given === '' ? rest : given;
  });
}

function environmentOf(name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service(name).environment ?? {}).map(([variable, value]) => [variable, interpolate(value)]),
  );
}

describe('docker-compose.yml', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormatsModule.default(ajv);
  // ajv knows draft 7 only by its http address.
  const schema = JSON.parse(
    read('test/deployment/compose-spec.json').replace(
      'https://json-schema.org/draft-07',
      'http://json-schema.org/draft-07',
    ),
  ) as object;
  const validate = ajv.compile(schema);

  test('keeps to the Compose Specification', () => {
    validate(COMPOSE);
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['a misspelt member', { services: { api: { imagee: 'x' } } }],
    ['a wrong type', { services: { api: { image: 1 } } }],
    [
      'a condition that does not exist',
      { services: { a: {}, b: { depends_on: { a: { condition: 'service_ready' } } } } },
    ],
  ])('and the schema would refuse %s', (_what, planted) => {
    expect(validate(planted)).toBe(false);
  });

  test('holds PostgreSQL, Temporal with its UI, migrations, the API and the workers', () => {
    expect(Object.keys(services)).toEqual([
      'postgres',
      'temporal-schema',
      'temporal',
      'temporal-ui',
      'migrate',
      'temporal-setup',
      'api',
      'worker',
    ]);
  });

  test('names only services, networks, volumes and configs that it defines', () => {
    for (const [name, one] of Object.entries(services)) {
      for (const needed of Object.keys(one.depends_on ?? {})) expect(Object.keys(services), name).toContain(needed);
      for (const network of one.networks ?? []) expect(Object.keys(COMPOSE.networks), name).toContain(network);
      for (const config of one.configs ?? []) expect(Object.keys(COMPOSE.configs), name).toContain(config.source);
      for (const volume of one.volumes ?? [])
        expect(Object.keys(COMPOSE.volumes), name).toContain(volume.split(':')[0]);
    }
  });

  test('waits for what it needs: a health check where healthy is asked, an end where completion is', () => {
    for (const [name, one] of Object.entries(services)) {
      for (const [needed, { condition }] of Object.entries(one.depends_on ?? {})) {
        const stays = service(needed).restart === 'unless-stopped';
        expect(condition, `${name} on ${needed}`).toBe(stays ? 'service_healthy' : 'service_completed_successfully');
        expect(service(needed).healthcheck !== undefined, needed).toBe(stays);
      }
    }
    expect(Object.keys(service('api').depends_on ?? {})).toEqual(['migrate', 'temporal-setup']);
    expect(Object.keys(service('worker').depends_on ?? {})).toEqual(['migrate', 'temporal-setup']);
  });

  test('pins every image', () => {
    for (const [name, { image, build }] of Object.entries(services)) {
      expect(build !== undefined || /:[0-9][\w.-]*$/.test(image ?? ''), name).toBe(true);
    }
  });

  test('sets up Temporal as docs/operations.md asks of every one', () => {
    const asked = /```yaml\n(worker\.[^`]+)```/.exec(read('docs/operations.md'))?.[1] ?? '';
    expect(asked).toContain('schedulerNamespaceStartWorkflowRPS');
    expect(asked).toContain('enableFairness');
    expect(COMPOSE.configs['temporal-dynamic-config']).toEqual({ file: './ops/temporal/dynamic-config.yaml' });
    expect(load(read('ops/temporal/dynamic-config.yaml'))).toMatchObject(load(asked) as object);
  });

  test('runs the release of Temporal that the tests run', () => {
    const { stdout } = spawnSync(inject('stack').temporalCliPath, ['--version'], { encoding: 'utf8' });
    const [, tested] = /Server (\d+\.\d+\.\d+)/.exec(stdout) ?? [];
    for (const name of ['temporal', 'temporal-schema']) expect(service(name).image?.split(':')[1], name).toBe(tested);
    expect(temporalVersion(), '`npm run test:temporal` compiles it').toBe(tested);
    for (const page of ['docs/operations.md', 'docs/kubernetes.md'])
      expect(read(page).match(/^.*Server 1.*tested on (\d+\.\d+\.\d+)/m)?.[1], page).toBe(tested);
  });

  test('publishes ports of this machine only', () => {
    const ports = Object.values(services).flatMap((one) => one.ports ?? []);
    expect(ports).toEqual(['127.0.0.1:8233:8080', '127.0.0.1:8080:8080']);
  });
});

describe('the processes of the image', () => {
  const known: Record<string, { processes: readonly ProcessKind[] }> = VARIABLES;

  test.each(Object.entries(OURS))('%s starts a program of the build', (name) => {
    const [node, file = ''] = service(name).command ?? [];
    expect(node).toBe('node');
    expect(file).toMatch(/^dist\/.+\.js$/);
    const source = file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
    expect(existsSync(path.join(PROJECT_ROOT, source)), source).toBe(true);
  });

  test.each(Object.entries(OURS))('%s is given variables that it reads, and all that it needs', (name, kind) => {
    for (const variable of Object.keys(environmentOf(name))) {
      expect(known[variable]?.processes ?? `unknown: ${variable}`, variable).toContain(kind);
    }
    expect(() => readConfiguration(kind, environmentOf(name))).not.toThrow();
  });

  test.each(Object.keys(OURS))('%s can write nowhere but /tmp and what is mounted, and has no capability', (name) => {
    expect(service(name)).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  test('API and workers share the folder of the files, which the image gives to its user', () => {
    for (const name of ['api', 'worker']) {
      expect(service(name).volumes, name).toEqual([`files:${environmentOf(name)['FILES_DIR']}`]);
    }
    expect(read('Dockerfile')).toMatch(/^RUN install --directory --owner=node --group=node --mode=700 \/files$/m);
  });

  test('API and workers are told alike what both of them read', () => {
    const [api, worker] = [environmentOf('api'), environmentOf('worker')];
    const both = (variable: string): boolean =>
      ['api', 'worker'].every((kind) => known[variable]?.processes.includes(kind as ProcessKind));
    const given = [...new Set([...Object.keys(api), ...Object.keys(worker)])].filter(both);
    expect(given).toContain('EGRESS_ALLOW');
    for (const variable of given) expect(api[variable], variable).toBe(worker[variable]);
  });

  test('the API sends invocations itself: it has the way out, and the time for its requests and its worker to end', () => {
    expect(readConfiguration('api', environmentOf('api')).RUN_INVOCATIONS).toBe(true);
    expect(service('api').networks).toEqual(service('worker').networks);
    const graceSeconds = readConfiguration('api', environmentOf('api')).SHUTDOWN_GRACE_SECONDS;
    expect(Number.parseInt(service('api').stop_grace_period ?? '', 10)).toBeGreaterThan(2 * graceSeconds + 10);
  });

  test('only the migrations hold the owner’s password, and none the superuser’s', () => {
    const holders = (value: string): string[] =>
      Object.keys(OURS).filter((name) => Object.values(environmentOf(name)).some((text) => text.includes(value)));
    expect(holders(`:${FILLED_IN['OWNER_PASSWORD']}@`)).toEqual(['migrate']);
    expect(holders(`:${FILLED_IN['POSTGRES_PASSWORD']}@`)).toEqual([]);
    expect(holders(FILLED_IN['MASTER_KEYS'] ?? '')).toEqual(['api', 'worker']);
  });

  test('the API has a health check that asks whether it is ready', () => {
    expect(service('api').healthcheck?.test.join(' ')).toContain('/readyz');
  });
});

test('the commands that docs/operations.md names in the image are programs of the build, and npm scripts run the same', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const rows = [...read('docs/operations.md').matchAll(/^\| (`npm run .*?) \| (`dist\/.*?) +\|$/gm)];
  const cells = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
  expect(rows.length).toBeGreaterThan(3);
  for (const [, named = '', inImage = ''] of rows) {
    const run = cells(named, /`npm run ([\w:-]+)`/g).map((script) => path.basename(scripts[script] ?? 'nothing'));
    expect(cells(inImage, /([\w-]+\.js)`/g)).toEqual(run);
  }
  expect(read('docs/operations.md')).toContain(
    'docker compose exec api node dist/embedded/commands/create-workspace.js',
  );
  const image = environmentOf('api');
  expect(() => readConfiguration('setup', image)).not.toThrow();
  expect(Object.keys(image)).toEqual(expect.arrayContaining(['DATABASE_URL', 'MASTER_KEYS']));
});

describe('.env.example', () => {
  const example = new Map(
    [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => [match[1] ?? '', match[2] ?? '']),
  );
  const asked = new Map([...TEXT.matchAll(/\$\{(\w+):([?-])/g)].map((match) => [match[1] ?? '', match[2] ?? '']));

  test('names every variable that docker-compose.yml takes from it, and no other', () => {
    expect([...example.keys()].toSorted()).toEqual([...asked.keys()].toSorted());
    expect(Object.keys(FILLED_IN).toSorted()).toEqual([...asked.keys()].toSorted());
  });

  // Compose itself refuses an empty value (`:?`), before it creates the databases with it.
  test('leaves each secret empty, so that none starts with the example', () => {
    const secrets = [...asked].filter(([, operator]) => operator === '?').map(([name]) => name);
    expect(secrets.map((name) => example.get(name))).toEqual(secrets.map(() => ''));
  });

  test('is copied to a file that neither git nor the image takes', () => {
    for (const file of ['.gitignore', '.dockerignore']) expect(read(file).split('\n'), file).toContain('.env');
  });
});

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const instructions = text.split('\n').filter((line) => /^[A-Z]+ /.test(line));

  test('is built on the Node that the README and .node-version name', () => {
    const [, line = ''] = /^FROM node:(\d+)-/m.exec(text) ?? [];
    const stages = [...text.matchAll(/^FROM .*node:(\d+-\S+)/gm)].map(([, tag]) => tag);
    expect(new Set(stages).size, 'one Node in every stage').toBe(1);
    expect(read('.node-version').trim()).toBe(line);
    expect(read('README.md')).toContain(`take Node ${line}, which is supported until`);
  });

  test('ends as a user without rights, with the API as its default', () => {
    expect(instructions.filter((line) => line.startsWith('USER '))).toEqual(['USER node']);
    expect(instructions.at(-1)).toBe('CMD ["node", "dist/server.js"]');
  });

  test('ships production dependencies only', () => {
    expect(text).toMatch(/AS dependencies\n(.*\n)+?RUN npm ci --omit=dev/);
    expect(text).toContain('COPY --from=dependencies /service/node_modules');
  });

  test('copies what is there', () => {
    const ignored = new Set(read('.dockerignore').split('\n'));
    for (const line of instructions.filter((one) => one.startsWith('COPY ') && !one.includes('--from='))) {
      for (const source of line.split(' ').slice(1, -1)) {
        expect(existsSync(path.join(PROJECT_ROOT, source)), source).toBe(true);
        expect(ignored.has(source), source).toBe(false);
      }
    }
  });

  test('runs a Node that the project supports', () => {
    const [, major = '0'] = /^FROM node:(\d+)/m.exec(text) ?? [];
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
  });
});

describe('.ci/run', () => {
  const text = read('.ci/run');

  test('installs, and calls the test command that the README names', () => {
    const commands = text.split('\n').filter((line) => /^(exec )?npm /.test(line));
    expect(commands).toEqual(['npm ci --no-audit --no-fund </dev/null', 'exec npm test </dev/null']);
    expect(read('README.md')).toMatch(/^npm test$/m);
  });
});
