import { describe, expect, it } from 'vitest';
import { bucketOf } from '../../../domain/analytics/histogram.ts';
import { groupIssue, METRIC_NAMES, METRICS, type Metric } from '../../../domain/analytics/metrics.ts';
import { countsOf, percentilesOf } from '../../../domain/analytics/percentiles.ts';
import { seriesOfPercentiles, seriesOfSums, withRest } from '../../../domain/analytics/series.ts';

describe('series', () => {
  it('of sums fill what is empty with 0, the largest first and the rest last', () => {
    const series = seriesOfSums(
      [
        { key: null, bucket: 0, value: 90 },
        { key: 'b', bucket: 2, value: 3 },
        { key: '', bucket: 1, value: 2 },
        { key: 'b', bucket: 0, value: 1 },
      ],
      3,
    );
    expect(series).toEqual([
      { key: 'b', label: 'b', total: 4, points: [1, 0, 3] },
      { key: '', label: 'none', total: 2, points: [0, 2, 0] },
      { key: null, label: 'other', total: 90, points: [90, 0, 0] },
    ]);
  });

  it('of percentiles are null where nothing was measured, and their total is of all', () => {
    const of = (ms: number, n: number) => countsOf([{ bucket: bucketOf(ms), n }]);
    const [slow, fast] = seriesOfPercentiles(
      [
        { key: 'fast', bucket: 1, counts: of(10, 1) },
        { key: 'slow', bucket: 0, counts: of(1_000, 1) },
        { key: 'slow', bucket: 2, counts: of(100, 99) },
      ],
      3,
      'p50',
    );
    expect([slow?.key, slow?.points[1], fast?.key, fast?.points[0]]).toEqual(['slow', null, 'fast', null]);
    expect((slow?.total ?? 0) / 100).toBeCloseTo(1, 1);
    expect(Object.keys(slow ?? {})).toEqual(['key', 'label', 'total', 'points']);
  });
});

describe('the rest of a series of histograms', () => {
  const point = (key: string | null, bucket: number, ...counts: [number, number][]) => ({
    key,
    bucket,
    counts: countsOf(counts.map(([of, n]) => ({ bucket: of, n }))),
  });

  it('is what the groups leave of all, bucket by bucket', () => {
    const points = [
      point('a', 0, [5, 2], [6, 1]),
      point('b', 1, [5, 4]),
      point(null, 0, [5, 3], [6, 1]),
      point(null, 1, [5, 4]),
    ];
    const rest = withRest(points).filter(({ key }) => key === null);
    expect(rest.map(({ bucket }) => bucket)).toEqual([0]);
    expect(percentilesOf(rest[0]?.counts ?? [])).toMatchObject({
      count: 1,
      max: percentilesOf(countsOf([{ bucket: 5, n: 1 }]))?.max,
    });
    expect(withRest(points).slice(0, 2)).toEqual(points.slice(0, 2));
  });
});

describe('groups of a metric', () => {
  it('are those of the specification', () => {
    const groups = Object.fromEntries(METRIC_NAMES.map((name) => [name, Object.keys(METRICS[name].groups)]));
    const of = (metric: keyof typeof METRICS): string[] => groups[metric] ?? [];
    expect(of('invocations.created')).toEqual(['status', 'action', 'agent', 'refusal']);
    expect(of('effects.graded')).toEqual(['grade', 'action']);
    expect(of('approvals.decided')).toEqual(['status', 'policy']);
    expect(of('messages.ended')).toEqual(['status', 'kind', 'label']);
    expect(of('delivery.latency.p99')).toEqual(['outcome', 'url']);
    expect(of('schedules.fired')).toEqual(['outcome', 'schedule']);
    expect(of('runs.duration.p95')).toEqual(['status', 'agent']);
    expect([of('tokens'), of('cost'), of('refusals'), of('errors')]).toEqual([
      ['agent'],
      ['agent'],
      ['code'],
      ['area', 'code'],
    ]);
  });

  it.each(['userId', 'messageId', 'message', 'run', 'runId', 'invocation', 'user_id', 'sessionId', 'traceId', 'id'])(
    'that have countless values, such as %s, are to be filtered by',
    (group) => {
      expect(groupIssue('messages.ended', group)).toContain('filter the list');
    },
  );

  it('say what there is where one is unknown', () => {
    expect(groupIssue('refusals', 'colour')).toBe('is no group of refusals, which can be grouped by code');
  });

  it('have the places of their kind', () => {
    const metrics: Metric[] = Object.values(METRICS);
    expect(metrics.every(({ groups }) => Object.values(groups).every((sql) => /\bd[123]\b/.test(sql)))).toBe(true);
  });
});
