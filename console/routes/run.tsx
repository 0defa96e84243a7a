import { useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { useEnvironmentId, useSearchText } from '../components/location.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { SpanPanel } from '../components/span-panel.tsx';
import { SpanTree } from '../components/span-tree.tsx';
import { countOf, countText } from '../components/text.ts';
import { Elapsed, Fields, Foreign, Id, Json, Time } from '../components/values.tsx';
import { costText } from './runs.tsx';

type Run = Schema<'RunWithCounts'>;

export function RunScreen() {
  const { id = '' } = useParams({ strict: false });
  const environmentId = useEnvironmentId();
  const read = useRead('runs', '/api/v2/runs/{id}', { path: { id } });
  const run = read.data?.data;
  const cancel = (
    <FormDialog
      open="Cancel"
      title="Cancel this run"
      submit="Cancel the run"
      tone="danger"
      change={(_, idempotencyKey) =>
        call('post', '/api/v2/runs/{id}/cancel', { path: { id }, environmentId, idempotencyKey })
      }
    >
      <p>Invocations of it that wait are withdrawn. What was sent already stays sent.</p>
    </FormDialog>
  );
  return (
    <Screen
      title={run?.name ?? run?.agentId ?? 'Run'}
      kicker={<To path="/runs">Runs</To>}
      actions={run?.status === 'running' ? cancel : undefined}
    >
      <When read={read}>{({ data }) => <Content run={data} />}</When>
    </Screen>
  );
}

function Content({ run }: { run: Run }) {
  const { search } = useSearchText();
  const spanId = search['span'];
  return (
    <>
      <p className="lead">
        <Badge of={run.status} />
        <Elapsed from={run.startedAt} to={run.endedAt} />
        <span className="quiet">
          {countOf(run.counts.spans, 'span')}, {countOf(run.counts.invocations, 'invocation')},{' '}
          {countOf(run.counts.effects, 'effect')}, {countOf(run.counts.approvals, 'approval')}
        </span>
      </p>
      <div className="columns">
        <Section title="What it did">
          <SpanTree run={run} />
        </Section>
        <aside>{spanId === undefined ? <RunFacts run={run} /> : <SpanPanel runId={run.id} spanId={spanId} />}</aside>
      </div>
    </>
  );
}

function RunFacts({ run }: { run: Run }) {
  return (
    <>
      <Section title="Facts">
        <Fields
          rows={{
            Run: <Id value={run.id} />,
            Agent: <Foreign>{run.agentId}</Foreign>,
            Version: run.agentVersion !== null && <Foreign>{run.agentVersion}</Foreign>,
            User: run.userId !== null && <Foreign>{run.userId}</Foreign>,
            Application: run.application !== null && <Foreign>{run.application}</Foreign>,
            Tags: run.tags !== null && run.tags.length > 0 && <Foreign>{run.tags.join(', ')}</Foreign>,
            Tokens: run.tokens !== null && countText(run.tokens),
            Cost: run.cost !== null && costText(run.cost),
            Began: <Time at={run.startedAt} distance />,
            Ended: <Time at={run.endedAt} distance />,
            Invocations: run.counts.invocations > 0 && (
              <To path="/invocations" search={{ runId: run.id }}>
                Open them
              </To>
            ),
          }}
        />
      </Section>
      {run.error !== null && (
        <Section title="Error">
          <Json value={run.error} label="error" />
        </Section>
      )}
      <details>
        <summary>Input and output</summary>
        <Json value={run.input} label="input" />
        <Json value={run.output} label="output" />
      </details>
    </>
  );
}
