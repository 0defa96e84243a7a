import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from '../../process/project-root.ts';

/** The samples of a scrape: what stands in front of a value (`name{labels}`), and the value. */
export type Samples = ReadonlyMap<string, number>;

/** What was seen, which alerts fire of it, and which may fire too. */
export interface Phase {
  seen: Samples;
  firing: readonly string[];
  perhaps?: readonly string[];
}

const RULES = path.join(projectRoot(), 'ops', 'prometheus', 'rules.yml');
const STEP_SECONDS = 15;
/** 25 minutes: longer than any alert waits, and within the longest window that a rule looks back. */
const PHASE_STEPS = 100;

/** Scrapes with a label `instance`, as Prometheus gives it. */
export function samplesOf(texts: Readonly<Record<string, string>>): Samples {
  const samples = new Map<string, number>();
  for (const [instance, text] of Object.entries(texts)) {
    for (const [, name = '', , labels = '', value = ''] of text.matchAll(/^(\w+)(\{(.*)\})? (\S+)$/gm)) {
      samples.set(`${name}{instance="${instance}"${labels === '' ? '' : `,${labels}`}}`, Number(value));
    }
  }
  return samples;
}

/**
 * Judges by Prometheus' own rules: what was seen stays so for 25 minutes, one scrape after the other. A gauge keeps its value. A
 * counter goes on growing in each step by what it grew from the scrape before to this one. A time is now. Returns what Prometheus says
 * unless exactly these alerts fire at the end of each time; the empty string where they do.
 */
export function unlikeAlerts(promtool: string, phases: readonly Phase[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'alerts-'));
  try {
    const file = path.join(folder, 'seen.test.yml');
    writeFileSync(file, JSON.stringify(testOf(phases)));
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
    return status === 0 ? '' : `other alerts fire than expected:\n${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function testOf(phases: readonly Phase[]): object {
  const rules = readFileSync(RULES, 'utf8');
  const isRuled = (series: string): boolean => rules.includes(series.slice(0, series.indexOf('{')));
  const names = new Set(phases.flatMap(({ seen }) => [...seen.keys()].filter(isRuled)));
  return {
    rule_files: [RULES],
    evaluation_interval: `${STEP_SECONDS}s`,
    tests: [
      {
        interval: `${STEP_SECONDS}s`,
        input_series: [...names].map((series) => ({
          series,
          values: valuesOf(
            series,
            phases.map(({ seen }) => seen.get(series)),
            phases.map(({ seen }) => ofAnother(seen, series)),
          ),
        })),
        promql_expr_test: phases.map(({ firing, perhaps = [] }, phase) => ({
          expr: `sgn(count by (alertname) (ALERTS{alertstate="firing", alertname!~"${perhaps.join('|')}"}))`,
          eval_time: `${(phase + 1) * PHASE_STEPS * STEP_SECONDS - STEP_SECONDS}s`,
          exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
        })),
      },
    ],
  };
}

/** What another process shows of the same: the figures of the database move to it when their reader ends, and go on from what they were. */
function ofAnother(seen: Samples, series: string): number | undefined {
  const nameless = (each: string): string => each.replace(/instance="[^"]*",?/, '');
  return [...seen].find(([each]) => each !== series && nameless(each) === nameless(series))?.[1];
}

/** In promtool's notation: `a+bxn` is a, a+b, … a+nb. */
function valuesOf(
  series: string,
  seen: readonly (number | undefined)[],
  elsewhere: readonly (number | undefined)[],
): string {
  const isCounter = /^\w+_(total|count|sum|bucket)\{/.test(series);
  const isTime = /^\w+_timestamp_seconds\{/.test(series);
  const rest = PHASE_STEPS - 1;
  let last = 0;
  let shown: number | undefined;
  let known: number | undefined;
  return seen
    .map((value, phase) => {
      // The counter continues from the last value, whichever process showed it.
      const grownFrom = known ?? 0;
      known = value ?? elsewhere[phase] ?? known;
      if (value === undefined) return phase === 0 ? `_x${PHASE_STEPS}` : `stale _x${rest}`;
      // What is shown again after a time without it goes on from what it was.
      const before = shown;
      shown = value;
      // Prometheus' clock begins at 0. A time that is shown goes along with it.
      if (isTime) return `${phase * PHASE_STEPS * STEP_SECONDS}+${STEP_SECONDS}x${rest}`;
      if (!isCounter) return `${value}x${rest}`;
      const growth = phase === 0 ? 0 : Math.max(0, value - grownFrom);
      // A process that began again counts from 0.
      const first = before === undefined || value < before ? value : last;
      last = first + growth * rest;
      return `${first}+${growth}x${rest}`;
    })
    .join(' ');
}

/** The largest value of the series whose name and labels hold these texts; null where there is none. */
export function valueIn(samples: Samples, ...texts: readonly string[]): number | null {
  const values = [...samples]
    .filter(([series]) => texts.every((text) => series.includes(text)))
    .map(([, value]) => value);
  return values.length === 0 ? null : Math.max(...values);
}
