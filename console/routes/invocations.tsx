import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { GRADES } from '../components/grades.ts';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { wordsOf } from '../components/text.ts';
import { Elapsed, Foreign, Id, None, Time } from '../components/values.tsx';

type Invocation = Schema<'ListedInvocation'>;

const STATUSES: readonly Invocation['status'][] = [
  'pending_approval',
  'queued',
  'dispatching',
  'succeeded',
  'failed',
  'unknown',
  'refused',
  'denied',
  'expired',
  'cancelled',
];

const FILTERS = [
  { name: 'status', label: 'Status', options: STATUSES },
  { name: 'grade', label: 'Grade', options: GRADES },
  { name: 'action', label: 'Action' },
  { name: 'agentId', label: 'Agent' },
  { name: 'runId', label: 'Run' },
] as const;

const COLUMNS: readonly Column<Invocation>[] = [
  { title: 'Action', cell: ({ action }) => <Foreign>{action.name}</Foreign> },
  { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
  { title: 'Why not', on: 'wide', cell: ({ refusal }) => (refusal === null ? <None /> : wordsOf(refusal.code)) },
  { title: 'Agent', on: 'wide', cell: ({ agentId }) => <Foreign>{agentId}</Foreign> },
  { title: 'Took', align: 'right', cell: ({ createdAt, settledAt }) => <Elapsed from={createdAt} to={settledAt} /> },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Invocation', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
];

const COMMAND = `curl -sS -X POST $BASE/api/v2/actions/NAME/invoke -H "Authorization: Bearer $AGENT" \\
  -H 'Content-Type: application/json' -d '{"input":{}}'`;

export function InvocationsScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('invocations', '/api/v2/actions/invocations', { query, keepsPrevious: true });
  return (
    <Screen title="Invocations">
      <List
        read={read}
        noun={['invocation', 'invocations']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        pathOf={({ id }) => `/invocations/${id}`}
        filters={FILTERS}
        nothingYet={<NothingYet what="invocations" hint="An agent invokes an action with its key:" command={COMMAND} />}
      />
    </Screen>
  );
}
