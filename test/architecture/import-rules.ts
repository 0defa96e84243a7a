import { parseModule, type ModuleImport, type ParsedModule } from './parse-module.ts';
import { typescriptOf, type SourceFile, type Violation } from './source-tree.ts';

/**
 * The import table of docs/architecture.md, and the rules that go with it: who reads the environment, who talks to
 * PostgreSQL, who may query without a tenant, and what workflow code may reach.
 */

type Layer =
  | 'domain'
  | 'temporal'
  | 'workflows'
  | 'db'
  | 'activities'
  | 'adapters'
  | 'api'
  | 'wiring'
  | 'demo'
  | 'bench'
  | 'sdk'
  | 'test';

interface Row {
  /** Layers that it may import, apart from itself. */
  layers: readonly Layer[];
  /** The message if it imports another layer. */
  instead: string;
}

const ANYTHING_SHIPPED: readonly Layer[] = [
  'domain',
  'temporal',
  'workflows',
  'db',
  'activities',
  'adapters',
  'api',
  'wiring',
];

const IMPORT_TABLE: Record<Layer, Row> = {
  domain: {
    layers: [],
    instead: 'domain imports nothing of the project: move what it needs into domain, or this code out of it',
  },
  temporal: {
    layers: ['domain'],
    instead: 'temporal imports domain only: it says how a workflow is started, and neither starts nor runs it',
  },
  workflows: {
    layers: ['domain', 'temporal'],
    instead:
      'a workflow imports domain, temporal, its own area, what stands in workflows/ itself, and `import type` from activities',
  },
  db: { layers: ['domain'], instead: 'db imports domain only: hand the rest in as an argument' },
  activities: {
    layers: ['domain', 'db', 'adapters'],
    instead: 'an activity imports domain, db and adapters: hand the rest in through createActivities(deps)',
  },
  adapters: {
    layers: ['domain'],
    instead: 'an adapter imports domain only: what it needs is handed to it by the activity',
  },
  api: {
    layers: ['domain', 'db', 'temporal'],
    instead: 'api imports domain, db and temporal: work that touches the world belongs in a workflow',
  },
  demo: { layers: [], instead: 'a target of the demo stands for another company: it imports nothing of the project' },
  wiring: { layers: ANYTHING_SHIPPED, instead: 'what is shipped does not depend on tests or benchmarks' },
  bench: { layers: ANYTHING_SHIPPED, instead: 'a benchmark does not depend on tests' },
  sdk: { layers: [], instead: 'an SDK is a package of its own: it imports nothing of the service, which others run' },
  test: { layers: [...ANYTHING_SHIPPED, 'bench', 'demo', 'sdk'], instead: '' },
};

const WIRING_FILES = new Set(['server.ts', 'worker.ts']);
const READERS_OF_THE_ENVIRONMENT: ReadonlySet<Layer> = new Set<Layer>(['wiring', 'bench', 'sdk', 'test']);

const DATABASE_DRIVERS = new Set(['knex', 'pg']);
/** A benchmark writes the rows of the bare side itself. */
const HOLDERS_OF_CONNECTIONS: ReadonlySet<Layer> = new Set<Layer>(['db', 'wiring', 'bench', 'test']);
/** Within db, the only files that open a connection or send on one themselves. All others take an open transaction as their first argument. */
const OPENERS_OF_CONNECTIONS = /^db\/(client|joined-query|migrate|announcements\/[a-z-]+)\.ts$/;
/** A query builder would be a second way to write a statement. */
const USERS_OF_KNEX = /^db\/(migrate\.ts|migrations\/[\w-]+\.ts)$/;

/**
 * The only files that query without naming a tenant (`Database.directory`), and why each one must.
 * Such a query sees tenant tables as empty; these files call the functions that db/migrations/directory-functions.ts makes, or `SELECT 1`.
 */
export const DIRECTORY_READERS: Record<string, string> = {
  'db/client.ts': 'defines it',
  'db/refuse-other-schema.ts': 'asks which migrations the database holds, which belongs to no tenant',
  'db/refuse-privileged-login.ts': 'asks PostgreSQL what the login itself may do',
  'db/api-keys/find-api-key.ts': 'finds the environment that a key belongs to',
  'db/oauth/find-access-token.ts': 'finds the grant and the environment that a token belongs to',
  'db/oauth/artifacts.ts': 'keeps codes and tokens, which are found by their hash before anybody is known',
  'db/oauth/clients.ts': 'keeps apps that registered themselves, which belong to no workspace',
  'db/oauth/grants.ts': 'finds the environment that a grant belongs to',
  'db/oauth/signing-keys.ts': 'keeps the keys of the installation',
  'db/oauth/expired.ts': 'lists and deletes what is past its time, in every environment',
  'db/auth/find-sign-in-session.ts': 'finds the session of a token, before its user is known',
  'db/auth/sign-in-throttle.ts': 'counts failed sign-ins of accounts and addresses, which belong to no workspace',
  'db/users/create-user.ts': 'finds a user by e-mail address, before anyone is signed in',
  'db/members/invitations.ts': 'finds the workspace that an invitation token belongs to',
  'db/environments/list-every-environment.ts':
    'lists every environment, for commands that then work on each inside withEnvironment',
  'db/approvals/find-unwatched-approvals.ts':
    'lists ids of approvals whose workflow has not heard of their end, in every environment',
  'db/attempts/find-unsettled-answers.ts':
    'lists ids of invocations that have an answer on record and are not settled, in every environment',
  'db/reconciliation/find-overdue-reads.ts': 'lists ids of effects that are to be read, in every environment',
  'db/invocations/find-unsettled-invocations.ts':
    'lists ids of admitted work that never came to rest, in every environment',
  'bench/http/side.ts': 'is the bare route that the service is compared with: the query without a tenant',
  'db/in-flight/grant-free-permits.ts': 'grants permits that are free beside waiters, in every workspace',
  'db/in-flight/find-expired-permits.ts': 'lists what is past its time, in every environment',
  'db/in-flight/delete-expired-permits.ts': 'deletes what is past its time, in every environment',
  'db/idempotency/find-expired-claims.ts': 'lists what is past its time, in every environment',
  'db/idempotency/delete-expired-claims.ts': 'deletes what is past its time, in every environment',
  'db/auth/find-expired-throttles.ts': 'lists counts that are forgotten, which belong to no workspace',
  'db/auth/delete-expired-throttles.ts': 'deletes counts that are forgotten, which belong to no workspace',
  'db/plans/rate-limiter.ts': 'counts a request before any transaction names a tenant',
  'db/maintenance/sweep-positions.ts': 'keeps how far the sweep of the whole installation came',
  'db/plans/expensive-work.ts': 'the switch is the whole installation’s',
  'db/dead-letters/delete-old-dead-letters.ts': 'deletes what is past the time it is kept, in every environment',
  'db/dead-letters/find-idle-jobs.ts': 'lists ids of jobs that no workflow works on, in every environment',
  'db/memory/find-expired.ts': 'lists ids of memories that are past their time, in every environment',
  'db/memory/find-idle-jobs.ts': 'lists ids of jobs that no workflow works on, in every environment',
  'db/events/raised-events.ts': 'lists environments with events in the outbox',
  'db/events/find-unfanned-events.ts': 'lists ids of events whose fan-out has not ended, in every environment',
  'db/events/delete-old-events.ts': 'deletes what is past the time it is kept, in every environment',
  'db/integrations/delete-expired-chat-rows.ts': 'deletes what is past its time, in every environment',
  'db/schedules/find-untold-schedules.ts': 'lists ids of schedules that Temporal must be told of, in every environment',
  'db/schedules/find-unfired-runs.ts': 'lists ids of runs that nobody fires, in every environment',
  'db/flow-control/find-waiting-keys.ts': 'lists ids of keys whose messages wait for too long, in every environment',
  'db/flow-control/find-lost-leases.ts':
    'lists ids of messages that hold a slot and that nobody sends, in every environment',
  'db/messages/find-lost-messages.ts': 'lists ids of accepted messages that no workflow delivers, in every environment',
  'db/messages/find-held-environments.ts': 'lists ids of environments whose held messages nobody woke',
  'db/messages/find-expired-deduplications.ts': 'lists what is past its time, in every environment',
  'db/messages/delete-expired-deduplications.ts': 'deletes what is past its time, in every environment',
  'db/messages/keep-partitions.ts': 'makes and drops partitions, which hold rows of every environment',
  'db/integrations/find-integration.ts': 'finds the environment that a request of a chat is for',
  'db/files/due-files.ts': 'lists ids of files whose upload or removal may have lost its process, in every environment',
  'db/notifications/find-unsent-emails.ts': 'lists ids of e-mails whose attempt is overdue, in every environment',
  'db/notifications/old-notifications.ts': 'lists and deletes what is past the time it is kept, in every environment',
  'db/runs/find-waiting-invocations.ts':
    'lists ids of invocations of cancelled runs that still wait, in every environment',
  'db/runs/keep-partitions.ts': 'makes and drops partitions, which hold rows of every environment',
  'db/sessions/expired-sessions.ts': 'lists and deletes what is past its time, in every environment',
  'db/previews/find-old-previews.ts': 'lists what is past the time it is kept, in every environment',
  'db/previews/delete-old-previews.ts': 'deletes what is past the time it is kept, in every environment',
  'db/approvals/find-old-approvals.ts': 'lists what is past the time it is kept, in every environment',
  'db/approvals/delete-old-approvals.ts': 'deletes what is past the time it is kept, in every environment',
  'api/health/probes.ts': 'asks whether PostgreSQL answers',
};

/** Packages that run inside the workflow sandbox: deterministic, without I/O, small. */
const WORKFLOW_PACKAGES = new Set(['@temporalio/workflow', '@temporalio/common']);

export function checkImports(files: readonly SourceFile[], directoryReaders = DIRECTORY_READERS): Violation[] {
  const modules = typescriptOf(files).map((file) => parseModule(file));
  return [
    ...modules.flatMap((module) => checkTable(module)),
    ...modules.flatMap((module) => checkEnvironment(module)),
    ...modules.flatMap((module) => checkDatabaseAccess(module, directoryReaders)),
    ...checkWorkflowSandbox(modules),
  ];
}

export function layerOf(path: string): Layer {
  if (WIRING_FILES.has(path) || path.startsWith('embedded/')) return 'wiring';
  if (path.startsWith('activities/adapters/')) return 'adapters';
  const top = path.split('/')[0];
  switch (top) {
    case 'domain':
    case 'temporal':
    case 'workflows':
    case 'db':
    case 'activities':
    case 'api':
    case 'demo':
    case 'bench':
    case 'sdk':
      return top;
    default:
      return 'test'; // test/ itself, and the configuration files of tools at the top
  }
}

function checkTable(module: ParsedModule): Violation[] {
  // Wiring may load a module that depends on the machine (a platform's package). Elsewhere the name must be literal.
  const unreadable = READERS_OF_THE_ENVIRONMENT.has(layerOf(module.path)) ? [] : module.unreadableImports;
  const violations: Violation[] = unreadable.map((line) => ({
    path: module.path,
    line,
    message: 'imports a computed path: name the module in a string, so that a reader and this test can follow it',
  }));
  for (const use of module.imports) {
    if (use.file === null || isAllowed(module.path, use)) continue;
    violations.push({
      path: module.path,
      line: use.line,
      message: `imports ${use.file}: ${IMPORT_TABLE[layerOf(module.path)].instead}`,
    });
  }
  return violations;
}

function isAllowed(from: string, use: ModuleImport): boolean {
  const target = use.file ?? '';
  const [source, aim] = [layerOf(from), layerOf(target)];
  if (source === 'workflows') return isAllowedInWorkflow(from, target, use.typeOnly);
  if (source === aim) return true;
  return IMPORT_TABLE[source].layers.includes(aim);
}

function isAllowedInWorkflow(from: string, target: string, typeOnly: boolean): boolean {
  const aim = layerOf(target);
  if (aim === 'domain' || aim === 'temporal') return true;
  if (aim === 'activities') return typeOnly;
  if (aim !== 'workflows') return false;
  const area = areaOf(from);
  // `workflows/index.ts` is the registry: it names every workflow, and no workflow imports it.
  if (area === null) return true;
  return areaOf(target) === area || isSharedByWorkflows(target);
}

/** Files directly in workflows/ serve every area. Only the registry may not be imported. */
function isSharedByWorkflows(path: string): boolean {
  return areaOf(path) === null && path !== 'workflows/index.ts';
}

/** The folder below the layer, or null for a file directly in the layer. */
function areaOf(path: string): string | null {
  const parts = path.split('/');
  return parts.length > 2 ? (parts[1] ?? null) : null;
}

function checkEnvironment(module: ParsedModule): Violation[] {
  if (READERS_OF_THE_ENVIRONMENT.has(layerOf(module.path))) return [];
  const imported = module.imports.filter((use) => /^(node:)?process$/.test(use.specifier)).map((use) => use.line);
  return [...module.environmentReads, ...imported].map((line) => ({
    path: module.path,
    line,
    message:
      'reads the environment: add the setting to domain/configuration/configuration.ts and let server.ts, worker.ts or embedded hand it in',
  }));
}

function checkDatabaseAccess(module: ParsedModule, directoryReaders: Record<string, string>): Violation[] {
  const violations: Violation[] = [];
  const layer = layerOf(module.path);
  for (const use of module.imports) {
    if (use.packageName === null || !DATABASE_DRIVERS.has(use.packageName)) continue;
    if (!HOLDERS_OF_CONNECTIONS.has(layer)) {
      violations.push({
        path: module.path,
        line: use.line,
        message: `imports ${use.packageName}: write the query in db/<area>/<verb-noun>.ts and call it inside withEnvironment`,
      });
    } else if (use.packageName === 'knex' && layer !== 'test' && !USERS_OF_KNEX.test(module.path)) {
      violations.push({
        path: module.path,
        line: use.line,
        message:
          'imports knex, which is for migrations: write the statement with tx.raw (docs/adr/0010-raw-sql-over-pg.md)',
      });
    } else if (layer === 'db' && !use.typeOnly && !OPENERS_OF_CONNECTIONS.test(module.path)) {
      violations.push({
        path: module.path,
        line: use.line,
        message: `imports ${use.packageName} at run time: take an EnvironmentTransaction as the first argument (import type is fine)`,
      });
    }
  }
  if (layer !== 'test' && !Object.hasOwn(directoryReaders, module.path)) {
    for (const line of module.propertyReads.get('directory') ?? []) {
      violations.push({
        path: module.path,
        line,
        message:
          'queries without a tenant (Database.directory): use withEnvironment; if no tenant can be known, call a function that db/migrations/directory-functions.ts makes and add this file, with the reason, to DIRECTORY_READERS',
      });
    }
  }
  return violations;
}

/** Follows every run-time import from each workflow file, and reports the path to a forbidden module. */
function checkWorkflowSandbox(modules: readonly ParsedModule[]): Violation[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const violations: Violation[] = [];
  const seen = new Set<string>();
  const follow = (module: ParsedModule, way: readonly string[]): void => {
    if (seen.has(module.path)) return;
    seen.add(module.path);
    for (const use of module.imports) {
      if (use.typeOnly) continue;
      const next = use.file === null ? undefined : byPath.get(use.file);
      if (next !== undefined) follow(next, [...way, next.path]);
      const forbidden = use.builtin || (use.packageName !== null && !WORKFLOW_PACKAGES.has(use.packageName));
      if (!forbidden) continue;
      violations.push({
        path: module.path,
        line: use.line,
        message: `brings ${use.specifier} into workflow code (${way.join(' -> ')}): keep it in a file that no workflow imports, or do the work in an activity`,
      });
    }
  };
  const isSandboxed = (path: string): boolean => ['workflows', 'temporal'].includes(layerOf(path));
  for (const module of modules) if (isSandboxed(module.path)) follow(module, [module.path]);
  return violations;
}

/** Shipped code runs with only the production dependencies (Dockerfile). It may import types from others, but no code. */
export function checkShippedPackages(files: readonly SourceFile[], dependencies: ReadonlySet<string>): Violation[] {
  const shipped = typescriptOf(files).filter((file) => !['test', 'bench', 'sdk'].includes(layerOf(file.path)));
  return shipped.flatMap((file) =>
    parseModule(file).imports.flatMap((use) =>
      use.typeOnly || use.packageName === null || dependencies.has(use.packageName)
        ? []
        : [
            {
              path: file.path,
              line: use.line,
              message: `imports ${use.packageName}, which production does not install: name it in "dependencies" of package.json`,
            },
          ],
    ),
  );
}

/** The packages of sdk/ that browsers load: they may import no builtin of Node. */
const BROWSER_PACKAGES = new Set(['sdk/typescript']);

/** Each package of sdk/ is installed alone: it imports its own files, and the packages that its own package.json names. */
export function checkSdkPackages(
  files: readonly SourceFile[],
  dependencies: Readonly<Record<string, ReadonlySet<string>>>,
): Violation[] {
  return typescriptOf(files).flatMap((file) => {
    const home = file.path.split('/').slice(0, 2).join('/');
    if (layerOf(file.path) !== 'sdk') return [];
    return parseModule(file).imports.flatMap((use) => {
      const isElsewhere = use.file !== null && !use.file.startsWith(`${home}/`);
      const isUnnamed = use.packageName !== null && dependencies[home]?.has(use.packageName) !== true;
      const isOfNode = use.builtin && BROWSER_PACKAGES.has(home);
      if (!isElsewhere && !isUnnamed && !isOfNode) return [];
      const why = isOfNode
        ? 'which browsers do not have: use what they and Node share'
        : `which does not come with ${home}: name it in its package.json, or keep the file in its folder`;
      return [{ path: file.path, line: use.line, message: `imports ${use.specifier}, ${why}` }];
    });
  });
}
