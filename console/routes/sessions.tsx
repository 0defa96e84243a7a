import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { countText } from '../components/text.ts';
import { Foreign, Id, Time } from '../components/values.tsx';

const FILTERS = [
  { name: 'userId', label: 'User' },
  { name: 'agentId', label: 'Agent' },
] as const;

const COLUMNS: readonly Column<Schema<'ListedSession'>>[] = [
  { title: 'Session', cell: ({ name, id }) => <Foreign>{name ?? id}</Foreign> },
  { title: 'User', cell: ({ userId }) => <Foreign>{userId}</Foreign> },
  { title: 'Agent', on: 'wide', cell: ({ agentId }) => <Foreign>{agentId}</Foreign> },
  { title: 'Messages', align: 'right', cell: ({ messageCount }) => countText(messageCount) },
  { title: 'Tokens', align: 'right', on: 'wide', cell: ({ tokenCount }) => countText(tokenCount) },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  { title: 'Id', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
];

export function SessionsScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('sessions', '/api/v2/sessions', { query, keepsPrevious: true });
  return (
    <Screen title="Sessions">
      <List
        read={read}
        noun={['session', 'sessions']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        pathOf={({ id }) => `/sessions/${id}`}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="sessions"
            hint="A session is a conversation that an agent keeps here:"
            command={`curl -sS -X POST $BASE/api/v2/sessions -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"name":"A chat"}'`}
          />
        }
      />
    </Screen>
  );
}
