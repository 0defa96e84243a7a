import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findCycles } from './cycles.ts';
import { DIRECTORY_READERS } from './directory-readers.ts';
import { checkImports, checkSdkPackages, checkShippedPackages } from './import-rules.ts';
import { loadTree, report, type SourceFile } from './source-tree.ts';

const TREE = loadTree();

/** Each row is a file that breaks exactly one rule, planted into a tree that keeps them all. */
const SOUND_TREE: SourceFile[] = [
  { path: 'domain/ids.ts', text: 'export const a = 1;' },
  { path: 'domain/digest.ts', text: "import { createHash } from 'node:crypto'; export const hash = createHash;" },
  { path: 'domain/known.ts', text: 'export const known = new Map();' },
  {
    path: 'domain/form.ts',
    text: "import { z } from 'zod'; export const form = z.string(); export type Form = string;",
  },
  {
    path: 'db/client.ts',
    text: "import { Pool } from 'pg'; export class Database { directory = new Pool(); }",
  },
  {
    path: 'db/secrets/vault.ts',
    text: "import type { Client } from 'pg'; import { a } from '../../domain/ids.ts'; export const b = a;",
  },
  {
    path: 'activities/index.ts',
    text: "import { b } from '../db/secrets/vault.ts'; export const createActivities = () => ({ b });",
  },
  { path: 'activities/adapters/adapter.ts', text: "export { a } from '../../domain/ids.ts';" },
  { path: 'workflows/index.ts', text: "export * from './invocations/invoke-action.workflow.ts';" },
  { path: 'temporal/search-attributes.ts', text: "import { defineSearchAttributeKey } from '@temporalio/common';" },
  { path: 'workflows/activity-options.ts', text: "import { a } from '../domain/ids.ts'; export const o = a;" },
  {
    path: 'temporal/reconciliation/reconcile-effect.ts',
    text: "import type { Form } from '../../domain/form.ts'; export type M = Form;",
  },
  {
    path: 'workflows/reconciliation/reconcile-effect.workflow.ts',
    text: "import { a } from '../../domain/ids.ts'; export const r = a;",
  },
  {
    path: 'workflows/invocations/invoke-action.workflow.ts',
    text: `import { proxyActivities } from '@temporalio/workflow';
           import { o } from '../activity-options.ts';
           import type { createActivities } from '../../activities/index.ts';
           import { type M } from '../../temporal/reconciliation/reconcile-effect.ts';
           type A = import('../../activities/index.ts').A;`,
  },
  {
    path: 'api/secrets/routes.ts',
    text: "import '../../temporal/reconciliation/reconcile-effect.ts'; import '../../db/client.ts';",
  },
  { path: 'server.ts', text: "import './api/secrets/routes.ts'; import './activities/index.ts'; process.env['PORT'];" },
  { path: 'embedded/main.ts', text: "import pg from 'pg'; import '../worker.ts'; const { env } = process;" },
  { path: 'sdk/typescript/src/client.ts', text: "import './errors.ts'; import 'openapi-fetch';" },
  { path: 'bench/invoke.ts', text: "import '../embedded/main.ts';" },
  { path: 'test/a.test.ts', text: "import '../bench/invoke.ts'; import knex from 'knex'; const { directory } = db;" },
];

const PLANTED: { rule: string; path: string; text: string; says: RegExp }[] = [
  {
    rule: 'an SDK imports nothing of the service',
    path: 'sdk/typescript/src/x.ts',
    text: "import type { ErrorCode } from '../../../domain/ids.ts';",
    says: /a package of its own/,
  },
  {
    rule: 'nothing of the service imports an SDK',
    path: 'api/x.ts',
    text: "import '../sdk/typescript/src/client.ts';",
    says: /api imports domain, db and temporal/,
  },
  {
    rule: 'the console imports nothing of the service',
    path: 'console/x.tsx',
    text: "import type { Form } from '../domain/form.ts';",
    says: /the console stands on the public API/,
  },
  {
    rule: 'nor code of an SDK',
    path: 'console/x.tsx',
    text: "import '../sdk/typescript/src/client.ts';",
    says: /the console stands on the public API/,
  },
  {
    rule: 'nothing of the service imports the console',
    path: 'api/x.ts',
    text: "import '../console/screens.ts';",
    says: /api imports domain, db and temporal/,
  },
  {
    rule: 'domain imports nothing of the project',
    path: 'domain/x.ts',
    text: "import '../db/client.ts';",
    says: /domain imports nothing/,
  },
  {
    rule: 'not even a type',
    path: 'domain/x.ts',
    text: "import type { D } from '../db/client.ts';",
    says: /domain imports nothing/,
  },
  {
    rule: 'nor dynamically',
    path: 'domain/x.ts',
    text: "const x = await import('../db/client.ts');",
    says: /domain imports nothing/,
  },
  { rule: 'nor by require', path: 'domain/x.ts', text: "require('../db/client.ts');", says: /domain imports nothing/ },
  {
    rule: 'nor by re-export',
    path: 'domain/x.ts',
    text: "export * from '../db/client.ts';",
    says: /domain imports nothing/,
  },
  {
    rule: 'db does not import temporal',
    path: 'db/x.ts',
    text: "import '../temporal/reconciliation/reconcile-effect.ts';",
    says: /db imports domain only/,
  },
  {
    rule: 'activities do not import api',
    path: 'activities/x.ts',
    text: "import '../api/secrets/routes.ts';",
    says: /createActivities/,
  },
  {
    rule: 'activities do not import temporal',
    path: 'activities/x.ts',
    text: "import '../temporal/reconciliation/reconcile-effect.ts';",
    says: /createActivities/,
  },
  {
    rule: 'adapters do not import db',
    path: 'activities/adapters/http/x.ts',
    text: "import type { D } from '../../../db/client.ts';",
    says: /handed to it/,
  },
  {
    rule: 'adapters do not import activities',
    path: 'activities/adapters/http/x.ts',
    text: "import '../../index.ts';",
    says: /handed to it/,
  },
  {
    rule: 'api does not import activities',
    path: 'api/x.ts',
    text: "import type { A } from '../activities/index.ts';",
    says: /belongs in a workflow/,
  },
  {
    rule: 'api does not import adapters',
    path: 'api/x.ts',
    text: "import '../activities/adapters/adapter.ts';",
    says: /belongs in a workflow/,
  },
  {
    rule: 'api does not import a workflow itself',
    path: 'api/x.ts',
    text: "import '../workflows/index.ts';",
    says: /belongs in a workflow/,
  },
  {
    rule: 'a workflow takes only types of activities',
    path: 'workflows/invocations/x.ts',
    text: "import { createActivities } from '../../activities/index.ts';",
    says: /a workflow imports domain/,
  },
  {
    rule: 'an inline type leaves the import standing',
    path: 'workflows/invocations/x.ts',
    text: "import { type A } from '../../activities/index.ts';",
    says: /a workflow imports domain/,
  },
  {
    rule: 'a workflow does not import db, not even a type',
    path: 'workflows/invocations/x.ts',
    text: "import type { D } from '../../db/client.ts';",
    says: /a workflow imports domain/,
  },
  {
    rule: 'a workflow imports nothing of another area',
    path: 'workflows/invocations/x.ts',
    text: "import '../reconciliation/reconcile-effect.workflow.ts';",
    says: /a workflow imports domain/,
  },
  {
    rule: 'a workflow does not import the registry of workflows',
    path: 'workflows/invocations/x.ts',
    text: "import '../index.ts';",
    says: /a workflow imports domain/,
  },
  {
    rule: 'temporal imports no workflow',
    path: 'temporal/x.ts',
    text: "import '../workflows/index.ts';",
    says: /temporal imports domain only/,
  },
  {
    rule: 'temporal imports no client: workflow code imports it',
    path: 'temporal/x.ts',
    text: "import { Client } from '@temporalio/client';",
    says: /into workflow code/,
  },
  {
    rule: 'what is shipped does not import tests',
    path: 'embedded/x.ts',
    text: "import '../test/a.test.ts';",
    says: /does not depend on tests/,
  },
  {
    rule: 'a process does not import the embedded stack',
    path: 'server.ts',
    text: "import './embedded/main.ts';",
    says: /move what both need into process\//,
  },
  {
    rule: 'nor does what the processes share',
    path: 'process/x.ts',
    text: "import type { A } from '../embedded/main.ts';",
    says: /move what both need into process\//,
  },
  {
    rule: 'a target of the demo imports nothing of the project',
    path: 'demo/payments/a.ts',
    text: "import { b } from '../../domain/b.ts';",
    says: /stands for another company/,
  },
  {
    rule: 'embedded does not import benchmarks',
    path: 'embedded/x.ts',
    text: "import '../bench/invoke.ts';",
    says: /does not depend on tests or benchmarks/,
  },
  { rule: 'a computed import', path: 'api/x.ts', text: 'const x = await import(name);', says: /computed path/ },
  {
    rule: 'process.env',
    path: 'api/x.ts',
    text: 'const port = process.env.PORT;',
    says: /domain\/configuration\/configuration\.ts/,
  },
  {
    rule: 'process.env by brackets',
    path: 'db/x.ts',
    text: "process['env'].PORT;",
    says: /domain\/configuration\/configuration\.ts/,
  },
  {
    rule: 'process.env through globalThis',
    path: 'domain/x.ts',
    text: 'globalThis.process.env.PORT;',
    says: /domain\/configuration\/configuration\.ts/,
  },
  {
    rule: 'process.env taken apart',
    path: 'activities/x.ts',
    text: 'const { env } = process;',
    says: /domain\/configuration\/configuration\.ts/,
  },
  {
    rule: 'process imported',
    path: 'activities/x.ts',
    text: "import { env } from 'node:process';",
    says: /domain\/configuration\/configuration\.ts/,
  },
  {
    rule: 'knex outside db',
    path: 'api/x.ts',
    text: "import type { Knex } from 'knex';",
    says: /inside withEnvironment/,
  },
  { rule: 'pg outside db', path: 'activities/x.ts', text: "import pg from 'pg';", says: /inside withEnvironment/ },
  {
    rule: 'a connection opened in an area of db',
    path: 'db/secrets/x.ts',
    text: "import pg from 'pg';",
    says: /EnvironmentTransaction/,
  },
  {
    rule: 'a query builder',
    path: 'db/secrets/x.ts',
    text: "import type { Knex } from 'knex';",
    says: /for migrations/,
  },
  {
    rule: 'the CEL library outside domain/cel',
    path: 'domain/messages/x.ts',
    text: "import { plan } from '@bufbuild/cel';",
    says: /in domain\/cel/,
  },
  {
    rule: 'a part of the CEL library outside domain/cel',
    path: 'api/x.ts',
    text: "import type { strings } from '@bufbuild/cel/ext';",
    says: /in domain\/cel/,
  },
  { rule: 'directory', path: 'api/x.ts', text: 'await deps.db.directory.raw(sql);', says: /without a tenant/ },
  {
    rule: 'directory taken apart',
    path: 'activities/x.ts',
    text: 'const { directory } = deps.db;',
    says: /without a tenant/,
  },
  {
    rule: 'a Node builtin in a workflow',
    path: 'workflows/invocations/x.ts',
    text: "import { join } from 'node:path';",
    says: /into workflow code/,
  },
  {
    rule: 'a Node builtin reached through domain',
    path: 'workflows/invocations/x.ts',
    text: "import { hash } from '../../domain/digest.ts';",
    says: /x\.ts -> domain\/digest\.ts/,
  },
  {
    rule: 'zod reached through domain',
    path: 'workflows/invocations/x.ts',
    text: "export { form } from '../../domain/form.ts';",
    says: /brings zod/,
  },
  {
    rule: 'state of a module in a workflow',
    path: 'workflows/invocations/x.ts',
    text: 'let runs = 0; export const ran = () => (runs += 1);',
    says: /keeps state that workflows share/,
  },
  {
    rule: 'a map of a module that a workflow reaches',
    path: 'workflows/invocations/x.ts',
    text: "export { known } from '../../domain/known.ts';",
    says: /keeps state that workflows share \(workflows\/invocations\/x\.ts -> domain\/known\.ts\)/,
  },
];

/** The specifier by which one file imports another. */
const specifierOf = (from: string, to: string): string => `./${posix.relative(posix.dirname(from), to)}`;

const PACKAGES_OF_SDK = { 'sdk/typescript': new Set(['openapi-fetch']), 'sdk/cli': new Set(['commander']) };

describe('the import table', () => {
  test('holds in this project', () => {
    expect(report(checkImports(TREE))).toBe('');
  });

  test('finds nothing in a sound tree', () => {
    expect(report(checkImports(SOUND_TREE))).toBe('');
  });

  test.each(PLANTED)('finds a planted violation: $rule', ({ path, text, says }) => {
    const violations = checkImports([...SOUND_TREE.filter((file) => file.path !== path), { path, text }]);
    expect(violations.map((violation) => violation.message).join('\n')).toMatch(says);
    expect(violations).toHaveLength(1);
  });

  test('no file imports itself by way of others, not even a type', () => {
    expect(report(findCycles(TREE))).toBe('');
    expect(report(findCycles(SOUND_TREE))).toBe('');
  });

  test.each([
    ['of two files', ['db/client.ts', 'db/secrets/vault.ts']],
    ['of three', ['db/client.ts', 'db/a.ts', 'db/secrets/vault.ts']],
    ['of a file with itself', ['db/client.ts']],
  ])('finds a planted cycle %s', (_, paths) => {
    const planted = paths.map((path, at) => ({
      path,
      text: `export type { T } from '${specifierOf(path, paths[at + 1] ?? 'db/client.ts')}';`,
    }));
    const cycles = findCycles([...SOUND_TREE.filter(({ path }) => !paths.includes(path)), ...planted]);
    expect(cycles).toHaveLength(1);
    const [, cycle = ''] = /cycle of imports \((.*?)\)/.exec(report(cycles)) ?? [];
    const [first, ...rest] = cycle.split(' -> ');
    expect(rest.at(-1)).toBe(first);
    expect(rest.toSorted()).toEqual(paths.toSorted());
  });

  test('names no reader of the directory that is gone or no longer reads it', () => {
    const idle = Object.keys(DIRECTORY_READERS).filter(
      (path) => !/\bdirectory\b/.test(TREE.find((file) => file.path === path)?.text ?? ''),
    );
    expect(idle).toEqual([]);
  });

  test('of packages: what is shipped imports only what production installs', () => {
    const text = TREE.find((file) => file.path === 'package.json')?.text ?? '{}';
    const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
    expect(report(checkShippedPackages(TREE, new Set(Object.keys(dependencies))))).toBe('');
    const planted = [{ path: 'api/x.ts', text: "import { describe } from 'vitest';" }];
    expect(report(checkShippedPackages(planted, new Set(['koa'])))).toMatch(/production does not install/);
  });

  test('of packages: each SDK imports what comes with it', () => {
    const packages = TREE.filter(({ path }) => /^sdk\/[\w-]+\/package\.json$/.test(path));
    const named = packages.map(({ path, text }) => {
      const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
      return [path.replace('/package.json', ''), new Set(Object.keys(dependencies))] as const;
    });
    expect(named.length).toBeGreaterThan(0);
    expect(report(checkSdkPackages(TREE, Object.fromEntries(named)))).toBe('');
  });

  test.each([
    ['a builtin of Node in what browsers load', 'sdk/typescript/src/x.ts', 'node:crypto', /browsers do not have/],
    ['a package that its package.json does not name', 'sdk/typescript/src/x.ts', 'commander', /does not come with/],
    ['files of another package', 'sdk/cli/src/x.ts', '../../typescript/src/client.ts', /does not come with/],
  ])('finds in an SDK %s', (_, path, specifier, says) => {
    const planted = { path, text: `import '${specifier}';` };
    expect(report(checkSdkPackages([...SOUND_TREE, planted], PACKAGES_OF_SDK))).toMatch(says);
    expect(report(checkSdkPackages(SOUND_TREE, PACKAGES_OF_SDK))).toBe('');
  });
});
