import { type SubmitEvent, useState } from 'react';
import { call, type Schema } from '../api/client.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FieldInput } from '../components/fields.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { useEnvironmentId, useSearchText } from '../components/location.ts';
import { parseJson } from '../components/parse-json.ts';
import { EXAMPLE_POLICY } from '../components/example-policy.ts';
import { PolicyFixtures } from '../components/policy-fixtures.tsx';
import { Screen, Section, When } from '../components/screen.tsx';
import { Failure } from '../components/states.tsx';
import { durationText, jsonText, wordsOf } from '../components/text.ts';
import { Fields, Foreign } from '../components/values.tsx';

type Verdict = Schema<'ApprovalPolicyVerdict'>;

/** A request that is judged and not made: which rule decides, and why the others do not. */
export function PolicyTestScreen() {
  const environmentId = useEnvironmentId();
  const { search, change: keep } = useSearchText();
  const [action, setAction] = useState(search['action'] ?? '');
  const [input, setInput] = useState(search['input'] ?? '{}');
  const [agentId, setAgent] = useState(search['agentId'] ?? '');
  const judged = useChange(async () => {
    const body = {
      action,
      input: parseJson(input, 'The input') as Schema<'EvaluateApprovalPolicies'>['input'],
      ...(agentId === '' ? {} : { agentId }),
    };
    return (await call('post', '/api/v2/approval-policies/evaluate', { body, environmentId })).data;
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    keep({ action, input, agentId }, { replace: true });
    judged.mutate(undefined);
  };
  return (
    <Screen title="Try the policies" kicker={<To path="/policies">Approval policies</To>}>
      <form className="inline" onSubmit={submit}>
        <FieldInput field={{ name: 'action', label: 'Action', required: true }} value={action} change={setAction} />
        <FieldInput
          field={{ name: 'input', label: 'Input, as JSON', kind: 'code', required: true }}
          value={input}
          change={setInput}
        />
        <FieldInput field={{ name: 'agentId', label: 'Agent' }} value={agentId} change={setAgent} />
        <p className="buttons">
          <button type="submit" className="primary" disabled={judged.isPending}>
            Evaluate
          </button>
        </p>
      </form>
      {judged.error !== null && <Failure error={judged.error} />}
      {judged.data !== undefined && <Outcome verdict={judged.data} />}
      <Section title="Test a document by requests">
        <p className="quiet">
          The document alone decides, not the policies that are in use. Nothing is applied, and nothing is executed.
        </p>
        <DocumentTest />
      </Section>
    </Screen>
  );
}

/** `?policy=` begins with the document of a policy. */
function DocumentTest() {
  const { search } = useSearchText();
  const policyId = search['policy'];
  const read = useRead('approval-policies', '/api/v2/approval-policies/{policyId}', {
    path: { policyId: policyId ?? '' },
    enabled: policyId !== undefined,
  });
  if (policyId === undefined) return <PolicyFixtures initial={EXAMPLE_POLICY} />;
  return <When read={read}>{({ data }) => <PolicyFixtures initial={jsonText(data.document)} />}</When>;
}

const WORDS: Readonly<Record<Verdict['effect'], readonly [badge: string, words: string]>> = {
  allow: ['ok', 'It would be allowed'],
  require_approval: ['pending_approval', 'It would ask a person'],
  deny: ['denied', 'It would be denied'],
};

function Outcome({ verdict }: { verdict: Verdict }) {
  const [badge, words] = WORDS[verdict.effect];
  return (
    <Section title="What would happen">
      <p className="lead" role="status">
        <Badge of={badge} words={words} /> <Foreign>{verdict.reason}</Foreign>
      </p>
      <Fields
        rows={{
          'Decided by': wordsOf(verdict.source),
          Policy: verdict.policyId !== null && <To path={`/policies/${verdict.policyId}`}>Open the policy</To>,
          Rule: verdict.ruleId !== null && <code>{verdict.ruleId}</code>,
          Approvals: verdict.quorum ?? false,
          Within: verdict.expiresInSeconds !== null && durationText(verdict.expiresInSeconds * 1_000),
          Refusal: verdict.refusal !== null && <Foreign>{verdict.refusal.message}</Foreign>,
        }}
      />
      <h3>Rule by rule</h3>
      <Table
        label="rules"
        rows={verdict.trace}
        idOf={({ policyId, ruleId }) => `${policyId} ${ruleId}`}
        columns={[
          { title: 'Policy', cell: ({ policyName }) => <Foreign>{policyName}</Foreign> },
          { title: 'Rule', cell: ({ ruleId }) => <code>{ruleId}</code> },
          { title: 'Outcome', cell: ({ outcome }) => wordsOf(outcome) },
          { title: 'Effect', cell: ({ effect }) => wordsOf(effect) },
          {
            title: 'Detail',
            cell: ({ detail, values }) => (
              <Foreign>
                {[detail, ...Object.entries(values).map(([name, value]) => `${name} = ${value}`)]
                  .filter(Boolean)
                  .join('; ')}
              </Foreign>
            ),
          },
        ]}
      />
    </Section>
  );
}
