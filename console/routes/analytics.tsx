import {
  Delivery,
  Firings,
  Messages,
  TrustControl,
  UsageOfTheMonth,
  UsageOverTime,
} from '../components/analytics-charts.tsx';
import { Agents, Destinations, Errors, Schedules } from '../components/analytics-ranks.tsx';
import { zone } from '../components/clock.tsx';
import { useSearchText } from '../components/location.ts';
import { type Metric, MetricChart } from '../components/metric-chart.tsx';
import { useSince } from '../components/ranges.ts';
import { Screen, Section } from '../components/screen.tsx';
import { Tiles } from '../components/tiles.tsx';

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
      <Tiles from={from} />
      <Section title="Trust and control">
        <div className="charts">
          <TrustControl from={from} />
        </div>
      </Section>
      <Section title="Over time">
        <div className="charts">
          {METRICS.map((metric) => (
            <MetricChart key={metric.metric} {...metric} range={{ from }} />
          ))}
          <Messages from={from} />
          <Delivery from={from} />
          <Firings from={from} />
        </div>
      </Section>
      <Section title="By name">
        <div className="charts">
          <Agents from={from} />
          <Destinations from={from} />
          <Schedules from={from} />
          <Errors from={from} />
        </div>
      </Section>
      <Section title="Usage">
        <div className="charts">
          <UsageOfTheMonth />
          <UsageOverTime />
        </div>
      </Section>
    </Screen>
  );
}
