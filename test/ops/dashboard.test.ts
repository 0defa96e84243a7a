import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describe, expect, test } from 'vitest';
import { METRICS } from '../../domain/metrics/catalogue.ts';
import { dashboard, QUERIES } from '../../ops/grafana/dashboard.ts';
import { projectRoot } from '../../process/project-root.ts';
import { metricsNamedIn } from './named-metrics.ts';

const FILE = path.join(projectRoot(), 'ops', 'grafana', 'agent-actions.json');

interface Placed {
  id: number;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { refId: string }[];
}

describe('the dashboard', () => {
  test('is what its generator makes (npm run ops:dashboard)', async () => {
    const options = await resolveConfig(FILE);
    await expect(await format(JSON.stringify(dashboard()), { ...options, filepath: FILE })).toMatchFileSnapshot(FILE);
  });

  test('shows every metric of the catalogue, and no other of ours', () => {
    const named = metricsNamedIn(QUERIES.join('\n')).filter((name) => name.startsWith('agent_actions_'));
    expect(named).toEqual(Object.keys(METRICS).toSorted());
  });

  test('has no panel over another, and an id and a letter for each', () => {
    const { panels } = dashboard() as { panels: Placed[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: h * w }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    for (const { targets = [], title } of panels) {
      expect(new Set(targets.map(({ refId }) => refId ?? title)).size).toBe(targets.length);
    }
  });
});
