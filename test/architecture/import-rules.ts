import { DIRECTORY_READERS } from './directory-readers.ts';
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
  | 'processes'
  | 'embedded'
  | 'demo'
  | 'docs'
  | 'bench'
  | 'ops'
  | 'sdk'
  | 'console'
  | 'test';

interface Row {
  /** Layers that it may import, apart from itself. */
  layers: readonly Layer[];
  /** The message if it imports another layer. */
  instead: string;
}

const WHAT_IS_SERVED: readonly Layer[] = ['domain', 'temporal', 'workflows', 'db', 'activities', 'adapters', 'api'];
const ANYTHING_SHIPPED: readonly Layer[] = [...WHAT_IS_SERVED, 'processes', 'embedded'];

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
  docs: { layers: ['domain'], instead: 'the order of the pages imports its types only, from domain' },
  demo: { layers: [], instead: 'a target of the demo stands for another company: it imports nothing of the project' },
  processes: {
    layers: WHAT_IS_SERVED,
    instead:
      'a process does not depend on the stack of `npm start`, which also runs pip, nor on tests or benchmarks: move what both need into process/',
  },
  embedded: {
    layers: [...ANYTHING_SHIPPED, 'docs'],
    instead: 'what is shipped does not depend on tests or benchmarks',
  },
  ops: { layers: ['domain'], instead: 'what operators take along imports domain only, and nothing imports it' },
  bench: { layers: ANYTHING_SHIPPED, instead: 'a benchmark does not depend on tests' },
  sdk: { layers: [], instead: 'an SDK is a package of its own: it imports nothing of the service, which others run' },
  console: {
    layers: [],
    instead:
      'the console stands on the public API: it imports the generated types of the SDK, as `import type`, and nothing else',
  },
  test: { layers: [...ANYTHING_SHIPPED, 'bench', 'demo', 'docs', 'ops', 'sdk', 'console'], instead: '' },
};

const PROCESSES = /^(server\.ts$|worker\.ts$|process\/)/;
const READERS_OF_THE_ENVIRONMENT: ReadonlySet<Layer> = new Set<Layer>([
  'processes',
  'embedded',
  'bench',
  'sdk',
  'test',
]);

const DATABASE_DRIVERS = new Set(['knex', 'pg']);
/** A benchmark writes the rows of the bare side itself. */
const HOLDERS_OF_CONNECTIONS: ReadonlySet<Layer> = new Set<Layer>(['db', 'embedded', 'bench', 'test']);
/** Within db, the only files that open a connection or send on one themselves. All others take an open transaction as their first argument. */
const OPENERS_OF_CONNECTIONS = /^db\/(client|pool|migrate|round-trip|transaction|announcements\/[a-z-]+)\.ts$/;
/** A query builder would be a second way to write a statement. */
const USERS_OF_KNEX = /^db\/(migrate\.ts|migrations\/[\w-]+\.ts)$/;

/** The library bounds no work and refuses little: domain/cel adds both. A benchmark measures the library alone beside it. */
const USERS_OF_CEL = /^(domain\/cel|bench\/policy|test)\//;

/** Packages that run inside the workflow sandbox: deterministic, without I/O, small. */
const WORKFLOW_PACKAGES = new Set(['@temporalio/workflow', '@temporalio/common']);

export function checkImports(files: readonly SourceFile[], directoryReaders = DIRECTORY_READERS): Violation[] {
  const modules = typescriptOf(files).map((file) => parseModule(file));
  return [
    ...modules.flatMap((module) => checkTable(module)),
    ...modules.flatMap((module) => checkEnvironment(module)),
    ...modules.flatMap((module) => checkDatabaseAccess(module, directoryReaders)),
    ...modules.flatMap((module) => checkExpressions(module)),
    ...checkWorkflowSandbox(modules),
  ];
}

export function layerOf(path: string): Layer {
  if (PROCESSES.test(path)) return 'processes';
  if (path.startsWith('activities/adapters/')) return 'adapters';
  const top = path.split('/')[0];
  switch (top) {
    case 'domain':
    case 'temporal':
    case 'workflows':
    case 'db':
    case 'activities':
    case 'api':
    case 'embedded':
    case 'demo':
    case 'docs':
    case 'bench':
    case 'ops':
    case 'sdk':
    case 'console':
      return top;
    default:
      return 'test'; // test/ itself, and the configuration files of tools at the top
  }
}

function checkTable(module: ParsedModule): Violation[] {
  // A process may load a module that depends on the machine (a platform's package). Elsewhere the name must be literal.
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

/** Generated from the routes, and the same for every caller of the API. */
const TYPES_OF_THE_API = 'sdk/typescript/src/generated/api.ts';

function isAllowed(from: string, use: ModuleImport): boolean {
  const target = use.file ?? '';
  const [source, aim] = [layerOf(from), layerOf(target)];
  if (source === 'workflows') return isAllowedInWorkflow(from, target, use.typeOnly);
  if (source === aim) return true;
  if (source === 'console') return use.typeOnly && target === TYPES_OF_THE_API;
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
        message: `imports ${use.packageName}: write the query in db/<area>/ beside those that it is used with, and call it inside withEnvironment`,
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

function checkExpressions(module: ParsedModule): Violation[] {
  if (USERS_OF_CEL.test(module.path)) return [];
  return module.imports
    .filter((use) => use.packageName === '@bufbuild/cel')
    .map((use) => ({
      path: module.path,
      line: use.line,
      message: `imports ${use.specifier}: compile the expression, or make its values, in domain/cel, which bounds the work`,
    }));
}

/** Follows every run-time import from each workflow file, and reports the path to a forbidden module. */
function checkWorkflowSandbox(modules: readonly ParsedModule[]): Violation[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const violations: Violation[] = [];
  const seen = new Set<string>();
  const follow = (module: ParsedModule, way: readonly string[]): void => {
    if (seen.has(module.path)) return;
    seen.add(module.path);
    for (const line of module.state) {
      const message = `keeps state that workflows share (${way.join(' -> ')}): their modules are evaluated once for all of them`;
      violations.push({ path: module.path, line, message: `${message}, so keep it in the workflow's function` });
    }
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

/** What `npm run build` alone runs, with packages for development. Its command runs in a process of its own. */
const BUILD_ONLY = 'embedded/docs/';
const BUILD_COMMAND = 'embedded/commands/build-docs.ts';

/** Shipped code runs with only the production dependencies (Dockerfile). It may import types from others, but no code. */
export function checkShippedPackages(files: readonly SourceFile[], dependencies: ReadonlySet<string>): Violation[] {
  const shipped = typescriptOf(files).filter(
    ({ path }) => !['test', 'bench', 'sdk', 'console'].includes(layerOf(path)) && !path.startsWith(BUILD_ONLY),
  );
  return shipped.flatMap(({ path, text }) =>
    parseModule({ path, text }).imports.flatMap(({ typeOnly, packageName, file, line }) => {
      if (typeOnly) return [];
      if (file?.startsWith(BUILD_ONLY) === true && path !== BUILD_COMMAND) {
        return [
          { path, line, message: `imports ${file}, which only ${BUILD_COMMAND} may: its packages are for the build` },
        ];
      }
      if (packageName === null || dependencies.has(packageName)) return [];
      const message = `imports ${packageName}, which production does not install: name it in "dependencies" of package.json`;
      return [{ path, line, message }];
    }),
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
