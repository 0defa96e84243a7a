import { useRead } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { To } from './link.tsx';
import { useEnvironmentId, useSearchText } from './location.ts';
import { Section, When } from './screen.tsx';
import { capital, countText } from './text.ts';
import { Elapsed, Fields, Foreign, Id, Json, Time } from './values.tsx';

/** One span: read when it is chosen, because its input and output may be large. */
export function SpanPanel({ runId, spanId }: { runId: string; spanId: string }) {
  const { change } = useSearchText();
  const environmentId = useEnvironmentId() ?? '';
  const read = useRead('runs', '/api/v2/runs/{id}/spans/{spanId}', { path: { id: runId, spanId } });
  return (
    <Section title="Span">
      <p>
        <button type="button" onClick={() => change({ span: undefined }, { replace: true })}>
          Close
        </button>
      </p>
      <When read={read}>
        {({ data: span }) => (
          <>
            <p>
              <strong>
                <Foreign>{span.name}</Foreign>
              </strong>{' '}
              <Badge of={span.status} />
            </p>
            <Fields
              rows={{
                Span: <Id value={span.id} />,
                Kind: capital(span.kind),
                Took: <Elapsed from={span.startedAt} to={span.endedAt} />,
                Began: <Time at={span.startedAt} />,
                'Tokens in': span.tokens.input !== null && countText(span.tokens.input),
                'Tokens out': span.tokens.output !== null && countText(span.tokens.output),
                Cost: span.cost !== null && `${span.cost} USD`,
                Invocation: span.invocationId !== null && (
                  <To path={`/invocations/${span.invocationId}`}>Open the invocation</To>
                ),
                Effect: span.effectId !== null && <EffectOf id={span.effectId} />,
                Approval: span.approvalId !== null && (
                  <a href={`/console/environments/${environmentId}/approvals/${span.approvalId}`}>Open the approval</a>
                ),
              }}
            />
            {span.error !== null && <Json value={span.error} label="error" />}
            <h3>Input</h3>
            <Json value={span.input} label="input" />
            <h3>Output</h3>
            <Json value={span.output} label="output" />
            <details>
              <summary>Attributes</summary>
              <Json value={span.attributes ?? {}} label="attributes" />
            </details>
          </>
        )}
      </When>
    </Section>
  );
}

/** A span of an action carries what is known of its effect. */
function EffectOf({ id }: { id: string }) {
  const grade = useRead('effects', '/api/v2/actions/effects/{id}', { path: { id } }).data?.data.grade;
  return (
    <>
      <To path={`/effects/${id}`}>Open the effect</To> {grade !== undefined && <Badge of={grade} />}
    </>
  );
}
