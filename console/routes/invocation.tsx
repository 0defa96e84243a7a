import { useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useEnvironmentId } from '../components/location.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { resolutionOf, resolveFields } from '../components/resolve-fields.ts';
import { To } from '../components/link.tsx';
import { workflowUrl } from '../components/workflow-url.ts';
import { useTypedName } from '../components/protection.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { wordsOf } from '../components/text.ts';
import { Elapsed, Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

type Invocation = Schema<'Invocation'>;

export function InvocationScreen() {
  const { id = '' } = useParams({ strict: false });
  const read = useRead('invocations', '/api/v2/actions/invocations/{id}', { path: { id } });
  const invocation = read.data?.data;
  const isUnknown = invocation?.status === 'unknown' && invocation.effectId === null;
  return (
    <Screen
      title={invocation?.action.name ?? 'Invocation'}
      kicker={<To path="/invocations">Invocations</To>}
      actions={isUnknown ? <Resolve id={id} /> : undefined}
    >
      <When read={read}>{({ data }) => <Content invocation={data} />}</When>
    </Screen>
  );
}

function Resolve({ id }: { id: string }) {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  return (
    <FormDialog
      open="Resolve"
      title="Record what became of it"
      submit="Record for good"
      tone="primary"
      typed={typed}
      fields={resolveFields({ needsPartial: false })}
      change={(values, idempotencyKey) =>
        call('post', '/api/v2/actions/invocations/{id}/resolve', {
          path: { id },
          environmentId,
          idempotencyKey,
          body: resolutionOf(values),
        })
      }
    >
      <p>Record it only when you have looked at the provider. It cannot be changed afterwards.</p>
    </FormDialog>
  );
}

function Content({ invocation }: { invocation: Invocation }) {
  const { status, grade, error, refusal, nextStep, result } = invocation;
  return (
    <>
      <p className="lead">
        <Badge of={status} /> {grade !== status && <Badge of={grade} />}
        <span className="quiet">
          <Elapsed from={invocation.createdAt} to={invocation.settledAt} />
        </span>
      </p>
      <div className="columns">
        <div>
          {(refusal !== null || error !== null) && (
            <Section title="What went wrong">
              {refusal !== null && <p className="quiet">{wordsOf(refusal.code)}</p>}
              <p className="problem-text">
                <Foreign>{refusal?.message ?? error}</Foreign>
              </p>
              {nextStep !== null && (
                <p>
                  <strong>Next:</strong> <Foreign>{nextStep}</Foreign>
                </p>
              )}
            </Section>
          )}
          <Section title="Answer of the destination">
            {result === null ? (
              <p className="quiet">There is none.</p>
            ) : (
              <>
                <p>HTTP {result.status}</p>
                <Json value={result.body} label="body" />
                <details>
                  <summary>Headers</summary>
                  <Json value={result.headers} label="headers" />
                </details>
              </>
            )}
          </Section>
          {invocation.resolution !== null && (
            <Section title="What a person recorded">
              <Json value={invocation.resolution} label="resolution" />
            </Section>
          )}
        </div>
        <aside>
          <Facts invocation={invocation} />
        </aside>
      </div>
    </>
  );
}

function Facts({ invocation }: { invocation: Invocation }) {
  const { effectId, runId, approvalId, agentId, requestedBy, retryOf } = invocation;
  const environmentId = useEnvironmentId() ?? '';
  return (
    <Section title="Facts">
      <Fields
        rows={{
          Invocation: <Id value={invocation.id} />,
          Effect: effectId !== null && <To path={`/effects/${effectId}`}>Open the effect</To>,
          Approval: approvalId !== null && (
            <a href={`/console/environments/${environmentId}/approvals/${approvalId}`}>Open the approval</a>
          ),
          'Decided until': invocation.expiresAt !== null && <Time at={invocation.expiresAt} distance />,
          Run: runId !== null && <To path={`/runs/${runId}`}>Open the run</To>,
          Workflow: workflowUrl(invocation.id) !== null && (
            <a href={workflowUrl(invocation.id) ?? ''}>Open it in Temporal</a>
          ),
          Agent: agentId !== null && <Foreign>{agentId}</Foreign>,
          'Asked by': (
            <>
              {wordsOf(requestedBy.type)} {requestedBy.id !== null && <Id value={requestedBy.id} short />}
            </>
          ),
          'Retry of': retryOf !== null && <To path={`/invocations/${retryOf}`}>The one before</To>,
          'Operation key': invocation.operationKey !== invocation.id && <Id value={invocation.operationKey} />,
          Request: invocation.requestId !== null && <Id value={invocation.requestId} />,
          Created: <Time at={invocation.createdAt} distance />,
          Settled: <Time at={invocation.settledAt} distance />,
        }}
      />
    </Section>
  );
}
