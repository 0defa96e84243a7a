import type { ReactNode } from 'react';
import type { Schema } from '../api/client.ts';
import { type Environment, useEnvironment, useRead } from '../api/queries.ts';
import { To } from '../components/link.tsx';
import { MetricChart } from '../components/metric-chart.tsx';
import { useSince } from '../components/ranges.ts';
import { useWorkers } from '../api/workers.ts';
import { Screen, Section } from '../components/screen.tsx';
import { Failure, Loading } from '../components/states.tsx';
import { countOf, percentText } from '../components/text.ts';
import { Tiles } from '../components/tiles.tsx';
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
  const workers = useWorkers();
  const reads = [approvals, unknowns, letters, limits, disabled];
  const failures = reads.filter(({ error, data }) => error !== null && data === undefined);
  const [failed] = failures;
  const readAgain = () => Promise.all(failures.map(({ refetch }) => refetch()));
  if (reads.every(({ data, error }) => data === undefined && error === null)) return <Loading />;
  const found = [
    ...serviceNeeds(environment, workers),
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
      {failed !== undefined && <Failure error={failed.error} retry={readAgain} />}
    </>
  );
}

function serviceNeeds(environment: Environment | null | undefined, workers: string | undefined) {
  const haltedAt = environment?.haltedAt ?? null;
  return [
    haltedAt !== null && (
      <Need key="halt" tone="bad" to="/overview" words="The environment is halted" note={environment?.haltedReason} />
    ),
    workers === 'none' && (
      <Need
        key="workers"
        tone="bad"
        to="/messages"
        words="No worker process runs"
        note="Messages, approvals and reconciliation wait for one. Invocations may be refused."
      />
    ),
  ];
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
