import { readFileSync } from 'node:fs';
import path from 'node:path';

const HEADING = /^## (\d+\.\d+\.\d+\S*)(?: \(([^)]*)\))?$/m;

/** Each place that says the version of a release, and what it says. */
export function versionsOf(root) {
  const text = (file) => readFileSync(path.join(root, file), 'utf8');
  const json = (file) => JSON.parse(text(file));
  const found = (file, pattern) => pattern.exec(text(file))?.[1] ?? 'none';
  const lock = json('package-lock.json');
  return {
    'package.json': json('package.json').version,
    'package-lock.json': lock.version,
    'package-lock.json, its first package': lock.packages[''].version,
    'domain/product.ts': found('domain/product.ts', /version: '([^']+)'/),
    'sdk/typescript/package.json': json('sdk/typescript/package.json').version,
    'sdk/cli/package.json': json('sdk/cli/package.json').version,
    'sdk/cli/package.json, the SDK that it needs':
      json('sdk/cli/package.json').dependencies['agent-action-runtime-sdk'],
    'sdk/python/pyproject.toml': found('sdk/python/pyproject.toml', /^version = "([^"]+)"/m),
    'sdk/python, __version__': found('sdk/python/src/agent_action_runtime/__init__.py', /^__version__ = "([^"]+)"/m),
    'ops/helm/agent-actions/Chart.yaml, version': found('ops/helm/agent-actions/Chart.yaml', /^version: (\S+)/m),
    'ops/helm/agent-actions/Chart.yaml, appVersion': found('ops/helm/agent-actions/Chart.yaml', /^appVersion: (\S+)/m),
    'docs/openapi.json': json('docs/openapi.json').info.version,
    'CHANGELOG.md': found('CHANGELOG.md', HEADING),
  };
}

/** The places that say another version than package.json, a line each. */
export function disagreements(versions) {
  const wanted = versions['package.json'];
  return Object.entries(versions).flatMap(([place, version]) =>
    version === wanted ? [] : [`${place} says ${version}, and package.json says ${wanted}`],
  );
}

/** The newest section of the changelog without its heading, and whether it has a date. */
export function notesOf(changelog) {
  const [, , date = ''] = HEADING.exec(changelog) ?? [];
  const [, section = ''] = changelog.split(/^## .*$/m);
  return { notes: section.trim(), isDated: /^\d{4}-\d{2}-\d{2}$/.test(date) };
}
