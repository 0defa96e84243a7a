import { type SubmitEvent, useState } from 'react';
import { call, type Schema } from '../api/client.ts';
import { useChange } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { Problem } from './dialog.tsx';
import { FieldInput } from './fields.tsx';
import { Table } from './list.tsx';
import { useEnvironmentId } from './location.ts';
import { parseJson } from './parse-json.ts';
import { countOf, jsonText, wordsOf } from './text.ts';
import { Foreign, None } from './values.tsx';

type Tested = Schema<'TestedApprovalPolicyFiles'>;
type Fixture = Schema<'PolicyFixture'>;

const EXAMPLE: Fixture[] = [
  {
    name: 'a large refund asks a person',
    request: {
      action: { name: 'refund.create', governed: true },
      input: { amount: 60_000 },
      impact: [{ dimension: 'money', currency: 'usd', amount: 60_000, bound: 'exact' }],
    },
    expect: { effect: 'require_approval' },
  },
];

/** A document that is judged by requests with the outcome that each must have. Nothing is applied, nothing is executed. */
export function PolicyFixtures({ initial }: { initial: string }) {
  const environmentId = useEnvironmentId();
  const [content, setContent] = useState(initial);
  const [fixtures, setFixtures] = useState(jsonText(EXAMPLE));
  const tested = useChange(async () => {
    const body = {
      files: [{ path: 'policy.yaml', content }],
      fixtures: parseJson(fixtures, 'The list of requests') as Fixture[],
    };
    return (await call('post', '/api/v2/approval-policies/files/test', { body, environmentId })).data;
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    tested.mutate(undefined);
  };
  return (
    <>
      <form className="stacked" onSubmit={submit}>
        <FieldInput
          field={{ name: 'content', label: 'The document, YAML or JSON', kind: 'code', required: true }}
          value={content}
          change={setContent}
        />
        <FieldInput
          field={{ name: 'fixtures', label: 'Requests with the outcome expected, JSON', kind: 'code', required: true }}
          value={fixtures}
          change={setFixtures}
        />
        <p className="buttons">
          <button type="submit" className="primary" disabled={tested.isPending}>
            Test
          </button>
        </p>
      </form>
      <Problem error={tested.error} />
      {tested.data !== undefined && <Results of={tested.data} />}
    </>
  );
}

function Results({ of: { passed, passedCount, failedCount, results } }: { of: Tested }) {
  return (
    <>
      <p className="lead" role="status">
        <Badge of={passed ? 'ok' : 'failed'} words={passed ? 'All passed' : `${failedCount} failed`} />
        <span className="quiet">{countOf(passedCount + failedCount, 'request')}</span>
      </p>
      <Table
        label="results"
        rows={results}
        idOf={({ name }) => name}
        columns={[
          { title: 'Request', cell: ({ name }) => <Foreign>{name}</Foreign> },
          {
            title: 'Result',
            cell: (one) => <Badge of={one.passed ? 'ok' : 'failed'} words={one.passed ? 'Passed' : 'Failed'} />,
          },
          { title: 'Decided', cell: ({ actual }) => (actual === null ? <None /> : wordsOf(actual.effect)) },
          { title: 'Rule', cell: ({ actual }) => (actual?.ruleId ? <code>{actual.ruleId}</code> : <None />) },
          { title: 'What differs', cell: ({ problems }) => <Foreign>{problems.join('; ')}</Foreign> },
        ]}
      />
    </>
  );
}
