import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { countText } from '../components/text.ts';
import { Elapsed, Foreign, Id, None, Time } from '../components/values.tsx';

type Run = Schema<'ListedRun'>;

const FILTERS = [
  { name: 'status', label: 'Status', options: ['running', 'succeeded', 'failed', 'cancelled'] },
  { name: 'agentId', label: 'Agent' },
  { name: 'userId', label: 'User' },
  { name: 'tag', label: 'Tag' },
  { name: 'startDate', label: 'Since', kind: 'day' },
] as const;

const COLUMNS: readonly Column<Run>[] = [
  { title: 'Run', cell: ({ name, agentId, id }) => <Foreign>{name ?? agentId ?? id}</Foreign> },
  { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
  { title: 'Agent', on: 'wide', cell: ({ agentId }) => <Foreign>{agentId}</Foreign> },
  { title: 'Took', align: 'right', cell: ({ startedAt, endedAt }) => <Elapsed from={startedAt} to={endedAt} /> },
  {
    title: 'Tokens',
    align: 'right',
    on: 'wide',
    cell: ({ tokens }) => (tokens === null ? <None /> : countText(tokens)),
  },
  { title: 'Cost', align: 'right', on: 'wide', cell: ({ cost }) => (cost === null ? <None /> : costText(cost)) },
  { title: 'Began', cell: ({ startedAt }) => <Time at={startedAt} /> },
  { title: 'Id', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
];

/** Runs say what they cost in US dollars. */
export function costText(cost: number): string {
  return `${cost.toFixed(cost < 1 ? 4 : 2)} USD`;
}

const COMMAND = `curl -sS -X POST $BASE/api/v2/runs -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"agentId":"support-bot"}'`;

export function RunsScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('runs', '/api/v2/runs', { query, keepsPrevious: true });
  return (
    <Screen title="Runs">
      <List
        read={read}
        noun={['run', 'runs']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        pathOf={({ id }) => `/runs/${id}`}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="runs"
            hint="A run is one execution of an agent, with its spans. Send OpenTelemetry traces, or begin one:"
            command={COMMAND}
          />
        }
      />
    </Screen>
  );
}
