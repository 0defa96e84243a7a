import { useParams } from '@tanstack/react-router';
import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { EffectActions } from '../components/effect-actions.tsx';
import { EffectTimeline } from '../components/effect-timeline.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { workflowUrl } from '../components/workflow-url.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { countOf, quantityText, wordsOf } from '../components/text.ts';
import { Code, Duration, Fields, Foreign, Id, Json, Quantities, Time } from '../components/values.tsx';

type Effect = Schema<'EffectDetail'>;

export function EffectScreen() {
  const { id = '' } = useParams({ strict: false });
  const read = useRead('effects', '/api/v2/actions/effects/{id}', { path: { id } });
  const effect = read.data?.data;
  return (
    <Screen
      title={effect?.action.name ?? 'Effect'}
      kicker={<To path="/effects">Effects</To>}
      actions={effect === undefined ? undefined : <EffectActions effect={effect} />}
    >
      <When read={read}>{({ data }) => <Content effect={data} />}</When>
    </Screen>
  );
}

function Content({ effect }: { effect: Effect }) {
  const isAsked = effect.stage === 'awaiting_approval';
  return (
    <>
      <p className="lead">
        <Badge of={effect.grade} /> <Quantities of={effect.impact} />
        <span className="quiet">{isAsked ? 'A person has to agree first.' : SENTENCES[effect.grade]}</span>
        {isAsked && <ApprovalLink effect={effect} />}
      </p>
      <div className="columns">
        <div>
          <Section title="What happened">
            <EffectTimeline effect={effect} />
          </Section>
          <Request effect={effect} />
          <Reservations effect={effect} />
        </div>
        <aside>
          <Facts effect={effect} />
          <Receipt id={effect.id} />
        </aside>
      </div>
    </>
  );
}

/** In the words of docs/receipts.md. */
const SENTENCES: Readonly<Record<string, string>> = {
  confirmed: 'The provider’s own record shows it.',
  acknowledged: 'The provider accepted it; its record was not read.',
  unknown: 'It may have been sent, and nobody saw what became of it.',
  failed: 'It was sent, and did not succeed.',
  refused: 'It was not sent: a rule refused it.',
  denied: 'It was not sent: a person denied it.',
  pending: 'It is under way.',
};

function Facts({ effect }: { effect: Effect }) {
  const { reconciliation, capabilities } = effect;
  const window = capabilities['idempotencyWindowSeconds'];
  return (
    <Section title="Facts">
      <Fields
        rows={{
          Effect: <Id value={effect.id} />,
          Invocation: <To path={`/invocations/${effect.invocationId}`}>Open the invocation</To>,
          Workflow: workflowUrl(effect.invocationId) !== null && (
            <a href={workflowUrl(effect.invocationId) ?? ''}>Open it in Temporal</a>
          ),
          Stage: wordsOf(effect.stage),
          Outcome: wordsOf(effect.outcome),
          'Checked by': effect.verification !== effect.outcome && wordsOf(effect.verification),
          'Partial effect': effect.partialEffect !== 'none' && wordsOf(effect.partialEffect),
          'Why not': effect.rejectionReason !== null && <Foreign>{effect.rejectionReason}</Foreign>,
          'Provider’s reference': effect.providerReference !== null && <Id value={effect.providerReference} />,
          'Operation key': effect.operationKey !== effect.invocationId && <Id value={effect.operationKey} />,
          Adapter: `${effect.adapter.type}, version ${effect.adapter.version}`,
          Created: <Time at={effect.createdAt} distance />,
          'First sent': <Time at={effect.firstDispatchedAt} distance />,
          'Outcome known': effect.outcomeAt !== null && <Time at={effect.outcomeAt} distance />,
          'Reads of the provider': reconciliation.attempts > 0 && countOf(reconciliation.attempts, 'read'),
          'Next read': reconciliation.nextAt !== null && <Time at={reconciliation.nextAt} distance />,
          'No more reads': reconciliation.exhausted && <Badge of="exhausted" words="A person has to find out" />,
          'Same key is safe for': typeof window === 'number' && <Duration ms={window * 1_000} />,
          Approval: effect.approvalId !== null && <ApprovalLink effect={effect} />,
        }}
      />
    </Section>
  );
}

function ApprovalLink({ effect: { environmentId, approvalId } }: { effect: Effect }) {
  return <a href={`/console/environments/${environmentId}/approvals/${approvalId ?? ''}`}>Open the approval</a>;
}

function Receipt({ id }: { id: string }) {
  const read = useRead('effects', '/api/v2/actions/effects/{id}/verify', { path: { id } });
  return (
    <Section title="Receipt">
      <When read={read}>
        {({ data: { valid, entries, head, brokenAt } }) => (
          <>
            <p>
              <Badge of={valid ? 'ok' : 'error'} words={valid ? 'The chain holds' : 'The chain is broken'} />{' '}
              <span className="quiet">{countOf(entries, 'entry', 'entries')}</span>
            </p>
            {head?.hash !== undefined && head.hash !== null && (
              <Fields rows={{ [`Hash of entry ${head.sequence}`]: <Id value={head.hash} short /> }} />
            )}
            {brokenAt !== null && (
              <p className="problem">
                Entry {brokenAt.sequence ?? '–'}: {brokenAt.problem}{' '}
                {brokenAt.kind === null ? '' : wordsOf(brokenAt.kind)}
              </p>
            )}
          </>
        )}
      </When>
    </Section>
  );
}

function Request({ effect: { request, target } }: { effect: Effect }) {
  const { method, url, headers, body } = request;
  const line = [method, url].filter((part) => typeof part === 'string').join(' ');
  return (
    <Section title="Exactly this was to be sent">
      <Code text={line} label="method and URL" />
      <details>
        <summary>Headers and body</summary>
        {headers !== undefined && <Json value={headers} label="headers" />}
        {typeof body === 'string' ? <Code text={body} label="body" /> : <p className="quiet">It has no body.</p>}
      </details>
      <details>
        <summary>Target, as the adapter understood it</summary>
        <Json value={target} label="target" />
      </details>
    </Section>
  );
}

function Reservations({ effect: { reservations } }: { effect: Effect }) {
  if (reservations.length === 0) return null;
  return (
    <Section title="What it holds of limits">
      <Table
        label="reservations"
        rows={reservations}
        idOf={({ limitId, period }) => `${limitId} ${period}`}
        columns={[
          { title: 'Limit', cell: ({ name }) => <Foreign>{name}</Foreign> },
          { title: 'Period', cell: ({ period }) => period.replaceAll('_', ' ') },
          { title: 'Amount', align: 'right', cell: (one) => quantityText(one) },
          {
            title: 'State',
            cell: ({ state, exposure }) =>
              exposure === null ? wordsOf(state) : `${wordsOf(state)}, ${wordsOf(exposure)}`,
          },
        ]}
      />
    </Section>
  );
}
