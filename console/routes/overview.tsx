import type { ReactNode } from 'react';
import type { Schema } from '../api/client.ts';
import { useEnvironment, useRead } from '../api/queries.ts';
import { To } from '../components/link.tsx';
import { MetricChart } from '../components/metric-chart.tsx';
import { useSince } from '../components/ranges.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { Failure, Loading } from '../components/states.tsx';
import { countOf, countText, percentText } from '../components/text.ts';
import { Foreign, Time } from '../components/values.tsx';

const HOUR_MS = 3_600_000;
const LOOKED_AT_MAX = 100;

/** What needs a person comes first. Numbers come after it: each leads to the list that it counts. */
export function OverviewScreen() {
  const environment = useEnvironment();
  const from = useSince(24 * HOUR_MS);
  return (
    <Screen title="Overview" kicker={environment?.workspaceName}>
      <Section title="What needs a person">
        <Needs />
      </Section>
      <Section title="The last 24 hours">
        <Tiles from={from} />
        <div className="charts">
          <MetricChart title="Invocations that ended" metric="invocations.ended" groupBy="status" range={{ from }} />
          <MetricChart title="Effects by grade" metric="effects.graded" groupBy="grade" range={{ from }} />
          <MetricChart title="Messages that ended" metric="messages.ended" groupBy="status" range={{ from }} />
          <MetricChart title="Errors" metric="errors" range={{ from }} />
        </div>
      </Section>
    </Screen>
  );
}

type Unknown = Schema<'ListedEffectDetail'>;

function Needs() {
  const approvals = useRead('approvals', '/api/v2/approvals', { query: { status: 'pending', limit: 1 } });
  const unknowns = useRead('effects', '/api/v2/actions/effects', {
    query: { outcome: 'unknown', limit: LOOKED_AT_MAX },
  });
  const letters = useRead('dlq', '/api/v2/dlq', { query: { limit: 1 } });
  const limits = useRead('impact-limits', '/api/v2/impact-limits', { query: { limit: LOOKED_AT_MAX } });
  const disabled = useRead('notifications', '/api/v2/notifications', {
    query: { type: 'subscription.disabled', unread: 'true', limit: 1 },
  });
  const environment = useEnvironment();
  const reads = [approvals, unknowns, letters, limits, disabled];
  const failed = reads.find(({ error, data }) => error !== null && data === undefined);
  if (reads.every(({ data, error }) => data === undefined && error === null)) return <Loading />;
  const found = [
    environment?.haltedAt !== null && environment?.haltedAt !== undefined && (
      <Need
        key="halt"
        tone="bad"
        to="/overview"
        words="The environment is halted"
        note={environment.haltedReason ?? ''}
      />
    ),
    ...unknownNeeds(unknowns.data?.data ?? []),
    ...limitNeeds(limits.data?.data ?? []),
    (letters.data?.pagination.total ?? 0) > 0 && (
      <Need
        key="dlq"
        tone="bad"
        to="/dlq"
        words={countOf(letters.data?.pagination.total ?? 0, 'dead letter')}
        note="Messages that failed for good: retry or delete them."
      />
    ),
    (disabled.data?.pagination.total ?? 0) > 0 && (
      <Need
        key="subscriptions"
        tone="mark"
        to="/events"
        words={countOf(disabled.data?.pagination.total ?? 0, 'disabled subscription')}
        note="Their destinations failed for too long, and get nothing."
      />
    ),
  ].filter((need) => need !== false);
  const waiting = approvals.data?.pagination.total ?? 0;
  return (
    <>
      <ul className="needs">
        {waiting > 0 && (
          <li className="need busy">
            <a href={`/console/environments/${environment?.id ?? ''}/approvals`}>
              {countOf(waiting, 'pending approval')}
            </a>
            <span className="quiet">Agents wait for a decision.</span>
          </li>
        )}
        {found}
      </ul>
      {waiting === 0 && found.length === 0 && failed === undefined && <p className="fine">✓ Nothing needs you now.</p>}
      {failed !== undefined && <Failure error={failed.error} retry={() => void failed.refetch()} />}
    </>
  );
}

function unknownNeeds(unknowns: readonly Unknown[]): ReactNode[] {
  const exhausted = unknowns.filter(({ reconciliation }) => reconciliation.exhausted).length;
  const old = unknowns.filter(({ createdAt }) => Date.parse(createdAt) < Date.now() - HOUR_MS).length;
  return [
    exhausted > 0 && (
      <Need
        key="exhausted"
        tone="bad"
        to="/effects"
        search={{ grade: 'unknown' }}
        words={`${countOf(exhausted, 'effect')} that only a person can settle`}
        note="The service has stopped reading the provider."
      />
    ),
    old > 0 && (
      <Need
        key="old"
        tone="mark"
        to="/effects"
        search={{ grade: 'unknown' }}
        words={`${countOf(old, 'effect')} unknown for over an hour`}
        note="They hold what they reserved."
      />
    ),
    unknowns.length - old > 0 && (
      <Need
        key="new"
        tone="mark"
        to="/effects"
        search={{ grade: 'unknown' }}
        words={`${countOf(unknowns.length - old, 'effect')} with an unknown outcome`}
        note="The service reads the provider to find out."
      />
    ),
  ];
}

const NEARLY_USED = 0.8;

function limitNeeds(limits: readonly Schema<'ImpactLimit'>[]): ReactNode[] {
  return limits
    .filter(
      ({ cap, reserved, settled, period }) =>
        period !== 'per_effect' && cap > 0 && reserved + settled >= cap * NEARLY_USED,
    )
    .map(({ id, name, cap, reserved, settled, resetsAt }) => (
      <Need
        key={id}
        tone="mark"
        to="/limits"
        words={<Foreign>{`${name}: ${percentText((reserved + settled) / cap)} used`}</Foreign>}
        note={
          <>
            {resetsAt !== null && (
              <>
                It begins again <Time at={resetsAt} distance />
              </>
            )}
          </>
        }
      />
    ));
}

function Need({
  to,
  search,
  words,
  note,
  tone,
}: {
  to: string;
  search?: Record<string, string>;
  words: ReactNode;
  note: ReactNode;
  tone: string;
}) {
  return (
    <li className={`need ${tone}`}>
      <To path={to} {...(search === undefined ? {} : { search })}>
        {words}
      </To>
      <span className="quiet">{note}</span>
    </li>
  );
}

function Tiles({ from }: { from: string }) {
  const read = useRead('analytics', '/api/v2/analytics/overview', { query: { from } });
  return (
    <When read={read}>
      {({ data: { invocations, effects, approvals, messages, runs, schedules } }) => (
        <ul className="tiles">
          <Tile
            to="/invocations"
            name="Invocations"
            value={countText(invocations.created)}
            note={`${countText(invocations.failed + invocations.unknown)} failed or unknown`}
          />
          <Tile
            to="/effects"
            name="Effects confirmed"
            value={effects.confirmedShare === null ? '–' : percentText(effects.confirmedShare)}
            note={`${countText(effects.unknownNow.count)} unknown now`}
          />
          <Tile
            to="/invocations"
            search={{ status: 'pending_approval' }}
            name="Approvals"
            value={countText(approvals.requested)}
            note={`${countText(approvals.denied)} denied`}
          />
          <Tile
            to="/messages"
            name="Messages delivered"
            value={messages.deliveryRate === null ? '–' : percentText(messages.deliveryRate)}
            note={`${countText(messages.failed)} failed`}
          />
          <Tile to="/runs" name="Runs" value={countText(runs.started)} note={`${countText(runs.failed)} failed`} />
          <Tile
            to="/schedules"
            name="Firings"
            value={countText(schedules.firings)}
            note={`${countText(schedules.failed + schedules.missed)} failed or missed`}
          />
        </ul>
      )}
    </When>
  );
}

function Tile({
  to,
  search,
  name,
  value,
  note,
}: {
  to: string;
  search?: Record<string, string>;
  name: string;
  value: string;
  note: string;
}) {
  return (
    <li>
      <To path={to} {...(search === undefined ? {} : { search })}>
        <span className="quiet">{name}</span>
        <strong>{value}</strong>
        <span className="quiet">{note}</span>
      </To>
    </li>
  );
}
