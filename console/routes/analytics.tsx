import { useRead } from '../api/queries.ts';
import { AnalyticsTables } from '../components/analytics-tables.tsx';
import { zone } from '../components/clock.tsx';
import { useSearchText } from '../components/location.ts';
import { type Metric, MetricChart } from '../components/metric-chart.tsx';
import { useSince } from '../components/ranges.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { countText, durationText, percentText } from '../components/text.ts';
import { Fields } from '../components/values.tsx';

const HOUR_MS = 3_600_000;
const RANGES: Readonly<Record<string, { words: string; ms: number }>> = {
  day: { words: '24 hours', ms: 24 * HOUR_MS },
  week: { words: '7 days', ms: 7 * 24 * HOUR_MS },
  month: { words: '30 days', ms: 30 * 24 * HOUR_MS },
};
const DEFAULT = { words: '24 hours', ms: 24 * HOUR_MS };

const METRICS: readonly Metric[] = [
  { title: 'Invocations that ended, by status', metric: 'invocations.ended', groupBy: 'status' },
  { title: 'Effects, by grade', metric: 'effects.graded', groupBy: 'grade' },
  { title: 'Approvals asked for', metric: 'approvals.requested' },
  { title: 'Messages that ended, by status', metric: 'messages.ended', groupBy: 'status' },
  { title: 'Latency of deliveries, 95 of 100', metric: 'delivery.latency.p95' },
  { title: 'Runs that ended, by status', metric: 'runs.ended', groupBy: 'status' },
  { title: 'Tokens', metric: 'tokens' },
  { title: 'Cost of runs', metric: 'cost' },
  { title: 'Refusals', metric: 'refusals' },
  { title: 'Errors', metric: 'errors' },
];

export function AnalyticsScreen() {
  const { search, change } = useSearchText();
  const range = RANGES[search['range'] ?? 'day'] ?? DEFAULT;
  const from = useSince(range.ms);
  const choose = (
    <label className="range">
      <span>Time</span>
      <select
        value={search['range'] ?? 'day'}
        onChange={({ target }) => change({ range: target.value === 'day' ? undefined : target.value })}
      >
        {Object.entries(RANGES).map(([name, { words }]) => (
          <option key={name} value={name}>
            The last {words}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Screen title="Analytics" actions={choose}>
      <p className="quiet">
        Counted by when a thing ended, not by when it was made. Days begin at midnight in {zone()}.
      </p>
      <TrustControl from={from} />
      <Section title="Over time">
        <div className="charts">
          {METRICS.map((metric) => (
            <MetricChart key={metric.metric} {...metric} range={{ from }} />
          ))}
        </div>
      </Section>
      <AnalyticsTables from={from} />
    </Screen>
  );
}

function TrustControl({ from }: { from: string }) {
  const read = useRead('analytics', '/api/v2/analytics/trust-control', { query: { from, timezone: zone() } });
  return (
    <Section title="Trust and control">
      <When read={read}>
        {({ data: { decisions, approvals, unknowns, grades } }) => {
          const graded = Object.values(grades).reduce((sum, count) => sum + count, 0);
          return (
            <Fields
              rows={{
                'Decided by policies': `${countText(decisions.allow)} allowed, ${countText(decisions.requireApproval)} asked a person, ${countText(decisions.deny)} denied`,
                Approvals: `${countText(approvals.approved)} approved, ${countText(approvals.denied)} denied, ${countText(approvals.expired)} expired`,
                'Time to a decision':
                  approvals.decisionMs !== null && `half within ${durationText(approvals.decisionMs.p50)}`,
                Confirmed: graded > 0 && `${percentText(grades.confirmed / graded)} of ${countText(graded)} effects`,
                Unknown: `${countText(unknowns.opened)} came up, ${countText(unknowns.openNow.count)} are open`,
              }}
            />
          );
        }}
      </When>
    </Section>
  );
}
