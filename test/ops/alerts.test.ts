import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import { load } from 'js-yaml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { METRICS } from '../../domain/metrics/catalogue.ts';
import { QUERIES } from '../../ops/grafana/dashboard.ts';
import { findPromtool } from '../harness/promtool.ts';
import { TOOL_TIMEOUT_MS } from '../harness/tool.ts';
import { projectRoot } from '../../process/project-root.ts';
import { metricsNamedIn } from './named-metrics.ts';

/** ops/prometheus: the alerts, their runbooks, and Prometheus' own judgement of both. */

const FOLDER = path.join(projectRoot(), 'ops', 'prometheus');
const read = (...file: string[]): string => readFileSync(path.join(projectRoot(), ...file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
const RULES = (load(read('ops', 'prometheus', 'rules.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const CASES = (load(read('ops', 'prometheus', 'rules.test.yml')) as { tests: { name: string }[] }).tests;
const RUNBOOKS = read('docs', 'runbooks.md');

const found = findPromtool();
const promtool = (...args: string[]) => {
  if (!('program' in found)) throw new Error(found.missing);
  const { status, stdout, stderr } = spawnSync(found.program, args, { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
};
if ('missing' in found) console.warn(`The alerts are not tested by Prometheus: ${found.missing}`);

describe('the alerts', () => {
  test('each has a severity, a summary, a case in which it fires, and a section that says what to do', () => {
    expect(RULES.length).toBeGreaterThanOrEqual(14);
    const sections = new Map(
      RUNBOOKS.split(/^## /m)
        .slice(1)
        .map((text) => [new GithubSlugger().slug(text.slice(0, text.indexOf('\n'))), text]),
    );
    for (const { alert, labels, annotations } of RULES) {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary, alert).toMatch(/\.$|look\.?$/);
      const [page, anchor = ''] = annotations.runbook_url.split('#');
      expect([page, anchor]).toEqual(['docs/runbooks.md', new GithubSlugger().slug(alert)]);
      const section = sections.get(anchor) ?? '';
      for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(section, `${alert} ${part}`).toContain(part);
    }
    expect(CASES.map(({ name }) => name).toSorted()).toEqual(RULES.map(({ alert }) => alert).toSorted());
    expect(sections.size, 'a section of no alert').toBe(RULES.length);
  });

  test('name metrics of the catalogue, and those of the process', () => {
    const ours = metricsNamedIn(JSON.stringify(RULES)).filter((name) => name.startsWith('agent_actions_'));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((name) => !Object.hasOwn(METRICS, name))).toEqual([]);
  });
});

describe.skipIf('missing' in found)('Prometheus itself', () => {
  test(
    'takes the rules, and each alert fires from its fault and not before',
    () => {
      expect(promtool('check', 'rules', path.join(FOLDER, 'rules.yml'))).toMatchObject({ status: 0 });
      expect(promtool('test', 'rules', path.join(FOLDER, 'rules.test.yml'))).toMatchObject({ status: 0 });
    },
    TOOL_TIMEOUT_MS,
  );

  test('refuses a rule whose threshold moved, so that the cases are known to tell', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'rules-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const moved = read('ops', 'prometheus', 'rules.yml').replace(
      'oldest_queued_seconds) > 60',
      'oldest_queued_seconds) > 6000',
    );
    writeFileSync(path.join(folder, 'rules.yml'), moved);
    writeFileSync(path.join(folder, 'rules.test.yml'), read('ops', 'prometheus', 'rules.test.yml'));
    const { status, said } = promtool('test', 'rules', path.join(folder, 'rules.test.yml'));
    expect([status, said]).toEqual([1, expect.stringContaining('QueueAge')]);
    expect(said).not.toContain('NoWorker');
  });

  test('parses every query of the dashboard', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'queries-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const asRules = (queries: readonly string[]): string => {
      const rules = queries.map((expr, at) => ({ record: `query:${at}`, expr: expr.replaceAll(/\$__\w+/g, '5m') }));
      const file = path.join(folder, 'queries.yml');
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
      return file;
    };
    expect(QUERIES.length).toBeGreaterThan(30);
    expect(promtool('check', 'rules', asRules(QUERIES))).toMatchObject({ status: 0 });
    expect(promtool('check', 'rules', asRules([...QUERIES, 'sum(by'])).status).toBe(1);
  });
});
