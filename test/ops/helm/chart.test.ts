import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { load, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { type ProcessKind, VARIABLES } from '../../../domain/configuration/configuration.ts';
import { readConfiguration } from '../../../domain/configuration/read-configuration.ts';
import { projectRoot } from '../../../process/project-root.ts';
import { findTool, fromGo, type Make, TOOL_TIMEOUT_MS } from '../../harness/tool.ts';

/** ops/helm: what the chart renders, by Helm itself, for three sets of values; and kubeconform's judgement of that. */

const CHART = path.join(projectRoot(), 'ops', 'helm', 'agent-actions');
const FOLDER = import.meta.dirname;
const SETS = readdirSync(path.join(FOLDER, 'values')).map((file) => path.basename(file, '.yaml'));
const KUBERNETES = '1.33.0';
/** The operator of Prometheus describes them; `promtool` checks the rules. */
const SKIPPED_KINDS = 'PrometheusRule,ServiceMonitor';

/** Helm takes two minutes of a machine to compile, so `npm test` does without where it is not at hand. */
const compiled = (module: string): Make =>
  process.env['CHART'] === 'compile' ? fromGo(module) : () => ['`npm run test:chart` compiles it'];
const helm = findTool('helm', 'version', [compiled('helm.sh/helm/v3/cmd/helm@v3.22.0')]);
const kubeconform = findTool('kubeconform', '-v', [compiled('github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0')]);
const missing = [helm, kubeconform].flatMap((tool) => ('missing' in tool ? [tool.missing] : []));
if (missing.length > 0) console.warn(`The chart is not rendered: skipped: ${missing.join('; ')}`);

interface Container {
  command: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  securityContext: object;
  ports?: { name: string }[];
}
interface Pod {
  securityContext: object;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds?: number;
  containers: Container[];
}
interface Manifest {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: {
    template: { metadata: { labels: Record<string, string> }; spec: Pod };
    activeDeadlineSeconds?: number;
    groups?: unknown;
    replicas?: number;
    endpoints?: { port: string }[];
  };
  data: Record<string, string>;
}

function run(tool: typeof helm, args: readonly string[], input?: string) {
  if ('missing' in tool) throw new Error(tool.missing);
  const { status, stdout, stderr } = spawnSync(tool.program, args, { encoding: 'utf8', input });
  // The chart takes rules and dashboard by links, and Helm says so.
  return { status, stdout, stderr: stderr.replaceAll(/^walk\.go:.*\n/gm, '') };
}

function template(set: string, ...more: string[]) {
  const values = path.join(FOLDER, 'values', `${set}.yaml`);
  const common = ['--namespace', 'agents', '--kube-version', KUBERNETES, '--values', values];
  return run(helm, ['template', 'agents', CHART, ...common, ...more]);
}

function manifestsOf(set: string, ...more: string[]): Manifest[] {
  const { status, stdout, stderr } = template(set, ...more);
  if (status !== 0) throw new Error(stderr);
  return loadAll(stdout) as Manifest[];
}

const pods = (manifests: readonly Manifest[]): { name: string; pod: Pod }[] =>
  manifests.flatMap(({ kind, metadata, spec }) =>
    ['Deployment', 'Job'].includes(kind) ? [{ name: metadata.name, pod: spec.template.spec }] : [],
  );
const isOurSource = (text: string): boolean =>
  text.includes('\nkind: PrometheusRule\n') || text.includes('agent-actions.json: |');

test('the chart has the rules and the dashboard by links, so that neither is a copy', () => {
  const links = { 'rules.yml': 'ops/prometheus/rules.yml', 'dashboard.json': 'ops/grafana/agent-actions.json' };
  for (const [link, file] of Object.entries(links)) {
    const full = path.join(CHART, 'files', link);
    expect(lstatSync(full).isSymbolicLink()).toBe(true);
    expect(readFileSync(full, 'utf8')).toBe(readFileSync(path.join(projectRoot(), file), 'utf8'));
  }
});

describe.skipIf(missing.length > 0)('helm template', () => {
  test.each(SETS)('%s renders as recorded', async (set) => {
    const { status, stdout, stderr } = template(set);
    expect([status, stderr]).toEqual([0, '']);
    // What is taken from ops/prometheus and ops/grafana changes there, and has a case of its own.
    const recorded = stdout.split(/^---$/m).filter((text) => !isOurSource(text));
    await expect(recorded.join('---')).toMatchFileSnapshot(path.join(FOLDER, 'golden', `${set}.yaml`));
  });

  test.each(SETS)(
    '%s is what Kubernetes takes',
    (set) => {
      const schemas = path.join(FOLDER, 'schemas', '{{.ResourceKind}}{{.KindSuffix}}.json');
      const args = ['-schema-location', schemas, '-skip', SKIPPED_KINDS, '-summary'];
      expect(run(kubeconform, args, template(set).stdout)).toMatchObject({ status: 0 });
      const broken = template(set).stdout.replace('imagePullPolicy:', 'imagePullPolice:');
      expect(run(kubeconform, args, broken)).toMatchObject({ status: 1 });
    },
    TOOL_TIMEOUT_MS,
  );

  test.each(SETS)('%s keeps to the restricted Pod Security Standard, and mounts no token', (set) => {
    const found = pods(manifestsOf(set));
    expect(found.length).toBeGreaterThan(3);
    for (const { name, pod } of found) {
      expect(pod.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken, name).toBe(false);
      for (const { securityContext } of pod.containers)
        expect(securityContext, name).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  test.each(SETS)(
    '%s gives each process variables that it reads, all that it needs, and secrets by reference',
    (set) => {
      const manifests = manifestsOf(set);
      const config = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'agents');
      for (const { name, pod } of pods(manifests)) {
        const [container] = pod.containers;
        const kind = kindOf(container?.command ?? []);
        const own = Object.fromEntries((container?.env ?? []).map((each) => [each.name, each]));
        for (const variable of Object.keys(own))
          expect(VARIABLES[variable as keyof typeof VARIABLES].processes, `${name}: ${variable}`).toContain(kind);
        for (const secret of ['DATABASE_URL', 'MASTER_KEYS', 'MIGRATION_DATABASE_URL', 'TEMPORAL_API_KEY'])
          expect(own[secret]?.value, `${name}: ${secret}`).toBeUndefined();
        const given = Object.entries(own).map(([variable, { value }]) => [variable, value ?? SECRETS[variable]]);
        const environment = { ...(kind === 'setup' ? {} : { ...config?.data, ...S3 }), ...Object.fromEntries(given) };
        expect(() => readConfiguration(kind, environment), name).not.toThrow();
      }
    },
  );

  test.each(SETS)('%s runs programs of the build', (set) => {
    for (const { pod } of pods(manifestsOf(set))) {
      const [node, file = ''] = pod.containers[0]?.command ?? [];
      expect(node).toBe('node');
      const source = file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
      expect(existsSync(path.join(projectRoot(), source)), source).toBe(true);
    }
  });

  test('gives a process its grace to end', () => {
    const seconds = (set: string) =>
      Object.fromEntries(pods(manifestsOf(set)).map(({ name, pod }) => [name, pod.terminationGracePeriodSeconds]));
    expect(seconds('smallest')).toMatchObject({
      'agents-api': 5 + 30 + 30 + 15,
      'agents-worker-2-0-0': 45,
    });
    expect(seconds('plain-jobs')).toMatchObject({ 'agents-api': 5 + 30 + 15 });
    expect(seconds('everything')).toMatchObject({ 'agents-worker-2-0-0': 75, 'agents-worker-2-1-0': 75 });
  });

  test('makes jobs hooks, or plain ones with a name for each release', () => {
    const jobs = (set: string) => manifestsOf(set).filter(({ kind }) => kind === 'Job');
    expect(jobs('smallest').map(({ metadata }) => [metadata.name, metadata.annotations?.['helm.sh/hook']])).toEqual([
      ['agents-migrate', 'pre-install,pre-upgrade'],
      ['agents-temporal-setup', 'pre-install,pre-upgrade'],
      ['agents-promote', 'post-install,post-upgrade'],
    ]);
    expect(jobs('plain-jobs').map(({ metadata }) => [metadata.name, metadata.annotations])).toEqual([
      ['agents-migrate-2-0-0-rc-1', undefined],
      ['agents-temporal-setup-2-0-0-rc-1', undefined],
    ]);
  });

  test('holds up no promotion before its workers, and no job before its account, where jobs go first', () => {
    const wave = ['--set-string', String.raw`jobs.annotations.argocd\.argoproj\.io/sync-wave=-1`];
    const manifests = manifestsOf('smallest', '--set', 'useHelmHooks=false', ...wave);
    const waves = manifests
      .filter(({ kind }) => ['ServiceAccount', 'Job', 'Deployment'].includes(kind))
      .map(({ metadata: { name, annotations } }) => [name, Number(annotations?.['argocd.argoproj.io/sync-wave'] ?? 0)]);
    expect(Object.fromEntries(waves)).toEqual({
      agents: -1,
      'agents-migrate-2-0-0': -1,
      'agents-temporal-setup-2-0-0': -1,
      'agents-promote-2-0-0': 0,
      'agents-api': 0,
      'agents-worker-2-0-0': 0,
    });
    const secondsOf = (step: string): number =>
      manifests.find(({ metadata }) => metadata.name.startsWith(`agents-${step}-`))?.spec.activeDeadlineSeconds ?? 0;
    // Both begin at once.
    expect(secondsOf('promote')).toBeGreaterThan(secondsOf('migrate') + 600);
  });

  test('leaves the workers of a release as they are while another one is installed beside them', () => {
    const template = (tag: string, ...more: string[]) =>
      manifestsOf('smallest', '--set', `image.tag=${tag}`, ...more).find(
        ({ metadata }) => metadata.name === 'agents-worker-2-0-0',
      )?.spec.template;
    const alone = template('2.0.0');
    expect(alone?.metadata.labels).toMatchObject({ 'app.kubernetes.io/version': '2.0.0' });
    expect(template('2.1.0', '--set', 'worker.previous[0].tag=2.0.0')).toEqual(alone);
    expect(JSON.stringify(alone?.metadata.labels)).not.toContain('helm.sh/chart');
  });

  test('names the workers of two releases apart whose tags are long and begin alike', () => {
    const [tag, previous] = ['release-2026-11-28.12', 'release-2026-11-28.11'];
    const names = manifestsOf('smallest', '--set', `image.tag=${tag},worker.previous[0].tag=${previous}`)
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(3);
  });

  test('gives variables the text that a process reads, and the jobs what Temporal is reached with', () => {
    const set = 'config.IMPORT_BYTES=104857600,config.RATIO=0.25,config.TEMPORAL_TLS=true,config.S3_PATH_STYLE=false';
    const manifests = manifestsOf('smallest', '--set-json', set);
    const config = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'agents');
    expect(config?.data).toMatchObject({ IMPORT_BYTES: '104857600', RATIO: '0.25', S3_PATH_STYLE: 'off' });
    const jobs = manifests.filter(({ kind, metadata }) => kind === 'Job' && metadata.name !== 'agents-migrate');
    expect(jobs.length).toBe(2);
    for (const { spec } of jobs)
      expect(spec.template.spec.containers[0]?.env).toContainEqual({ name: 'TEMPORAL_TLS', value: 'on' });
  });

  test('takes rules and dashboard as they are, and scrapes ports that are there', () => {
    const manifests = manifestsOf('everything');
    const rules = readFileSync(path.join(CHART, 'files', 'rules.yml'), 'utf8');
    const linked = rules.replaceAll('docs/runbooks.md#', 'https://agents.example.com/docs/runbooks#');
    const rule = manifests.find(({ kind }) => kind === 'PrometheusRule');
    expect(rule?.spec.groups).toEqual((load(linked) as { groups: unknown }).groups);
    const dashboard = manifests.find(({ metadata }) => metadata.name === 'agents-dashboard');
    const text = readFileSync(path.join(CHART, 'files', 'dashboard.json'), 'utf8');
    expect(JSON.parse(dashboard?.data['agent-actions.json'] ?? '')).toEqual(JSON.parse(text));
    const monitor = manifests.find(({ kind }) => kind === 'ServiceMonitor');
    for (const { pod } of pods(manifests).filter(({ name }) => /-(api|worker-.*)$/.test(name)))
      expect(pod.containers[0]?.ports?.map(({ name }) => name)).toEqual(
        expect.arrayContaining(monitor?.spec.endpoints?.map(({ port }) => port) ?? []),
      );
  });

  test.each([
    ['no place for files', ['--set', 'config.FILES=folder'], 'existingClaim'],
    ['no Secret of the database', ['--set', 'database.existingSecret='], 'database.existingSecret'],
    ['a value that does not exist', ['--set', 'worker.replica=3'], 'replica'],
    ['a secret in the values', ['--set', 'config.MASTER_KEYS=1:x'], 'MASTER_KEYS'],
    ['a previous release that is this one', ['--set', 'worker.previous[0].tag=2.0.0'], 'is the release itself'],
    ['a variable that the chart sets', ['--set', 'config.PORT=80'], 'PORT'],
  ])('refuses %s', (_what, set, said) => {
    const { status, stderr } = template('smallest', ...set);
    expect([status, stderr]).toEqual([1, expect.stringContaining(said)]);
  });
});

/** What stands in the Secrets of an operator. */
const SECRETS: Record<string, string> = {
  DATABASE_URL: 'postgresql://application:b2@postgres:5432/service',
  MIGRATION_DATABASE_URL: 'postgresql://owner:c3@postgres:5432/service',
  MASTER_KEYS: `1:${Buffer.from('a random key of exactly 32 bytes').toString('base64')}`,
  TEMPORAL_API_KEY: 'd4',
};
const S3 = {
  S3_ENDPOINT: 'https://s3.eu-central-1.amazonaws.com',
  S3_BUCKET: 'agents',
  S3_ACCESS_KEY_ID: 'e5',
  S3_SECRET_ACCESS_KEY: 'f6',
};

function kindOf([, file = '']: readonly string[]): ProcessKind {
  if (file === 'dist/server.js') return 'api';
  return file === 'dist/worker.js' ? 'worker' : 'setup';
}
