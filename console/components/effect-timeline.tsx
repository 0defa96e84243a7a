import type { Schema } from '../api/client.ts';
import { Badge } from './badge.tsx';
import { capital, jsonText, wordsOf } from './text.ts';
import { Code, Elapsed, Foreign, Id, Time } from './values.tsx';

type Effect = Schema<'EffectDetail'>;
type Attempt = Schema<'Attempt'>;
type Evidence = Schema<'Evidence'>;
type Moment = { at: string; key: string } & ({ attempt: Attempt } | { evidence: Evidence });

/** Attempts and evidence in the order in which they came. */
export function EffectTimeline({ effect }: { effect: Effect }) {
  const moments: Moment[] = [
    ...effect.attempts.map((attempt) => ({ at: attempt.startedAt, key: attempt.id, attempt })),
    ...effect.evidence.map((evidence) => ({ at: evidence.recordedAt, key: evidence.id, evidence })),
  ].sort((a, b) => (a.at < b.at ? -1 : 1));
  if (moments.length === 0) return <p className="quiet">Nothing was sent yet.</p>;
  return (
    <ol className="timeline">
      {moments.map((moment) => (
        <li key={moment.key}>
          <Time at={moment.at} />
          {'attempt' in moment ? (
            <AttemptEntry attempt={moment.attempt} />
          ) : (
            <EvidenceEntry evidence={moment.evidence} />
          )}
        </li>
      ))}
    </ol>
  );
}

const KINDS: Readonly<Record<Attempt['kind'], string>> = {
  dispatch: 'Sent',
  replay: 'Sent again under the same key',
  reconcile: 'Read at the provider',
};

function AttemptEntry({ attempt }: { attempt: Attempt }) {
  const { number, kind, status, observedOutcome, error, claimedAt, startedAt, finishedAt, refusal, lateAnswer } =
    attempt;
  return (
    <div>
      <p>
        <strong>{claimedAt === null && kind === 'dispatch' ? 'Prepared' : KINDS[kind]}</strong>{' '}
        <span className="quiet">attempt {number}</span> <Badge of={observedOutcome ?? status} />{' '}
        <span className="quiet">
          <Elapsed from={startedAt} to={finishedAt} />
        </span>
      </p>
      {error !== null && (
        <p className="problem-text">
          <Foreign>{error}</Foreign>
        </p>
      )}
      {refusal !== null && (
        <p className="problem-text">
          {wordsOf(refusal.code)}: <Foreign>{refusal.message}</Foreign>
        </p>
      )}
      {lateAnswer !== null && (
        <p>
          An answer came after it was given up: <Badge of={lateAnswer.observedOutcome} />{' '}
          <Time at={lateAnswer.recordedAt} />
        </p>
      )}
    </div>
  );
}

const SOURCES: Readonly<Record<Evidence['source'], string>> = {
  preview: 'Preview',
  provider_response: 'Answer of the provider',
  provider_lookup: 'Read at the provider',
  system: 'Noted by the service',
  operator_note: 'Note',
  manual_resolution: 'Resolved by a person',
};

function EvidenceEntry({ evidence }: { evidence: Evidence }) {
  const { source, summary, impliedOutcome, details, providerIds, actor } = evidence;
  const ids = Object.entries(providerIds);
  return (
    <div>
      <p>
        <strong>{SOURCES[source]}</strong> {impliedOutcome !== null && <Badge of={impliedOutcome} />}
        {actor.id !== null && (
          <span className="quiet">
            {' '}
            by {wordsOf(actor.type)} <Id value={actor.id} short />
          </span>
        )}
      </p>
      <p>
        <Foreign>{summary}</Foreign>
      </p>
      {ids.map(([name, value]) => (
        <p key={name} className="quiet">
          {capital(wordsOf(name))} <Id value={value} />
        </p>
      ))}
      {Object.keys(details).length > 0 && (
        <details>
          <summary>Details</summary>
          <Code text={jsonText(details)} label="details" />
        </details>
      )}
    </div>
  );
}
