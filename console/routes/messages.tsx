import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { Foreign, Id, None, Time } from '../components/values.tsx';

type Message = Schema<'ListedMessage'>;

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: ['pending', 'scheduled', 'processing', 'delivered', 'failed', 'cancelled'],
  },
  { name: 'url', label: 'Destination' },
  { name: 'label', label: 'Label' },
  { name: 'scheduleId', label: 'Schedule' },
  { name: 'startDate', label: 'Since', kind: 'day' },
] as const;

const COLUMNS: readonly Column<Message>[] = [
  {
    title: 'Destination',
    cell: ({ method, url }) => (
      <>
        {method} <Foreign>{url}</Foreign>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
  { title: 'Answer', cell: ({ responseStatus, errorMessage }) => responseStatus ?? <Foreign>{errorMessage}</Foreign> },
  { title: 'Attempts', align: 'right', on: 'wide', cell: ({ attempts }) => attempts ?? <None /> },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Message', on: 'wide', cell: ({ messageId }) => <Id value={messageId} short /> },
];

const COMMAND = `curl -sS -X POST $BASE/api/v2/messages/publish -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"url":"https://example.com/hook","body":{"hello":"world"}}'`;

export function MessagesScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('messages', '/api/v2/messages', { query, keepsPrevious: true });
  return (
    <Screen title="Messages">
      <List
        read={read}
        noun={['message', 'messages']}
        columns={COLUMNS}
        idOf={({ messageId }) => messageId}
        pathOf={({ messageId }) => `/messages/${messageId}`}
        filters={FILTERS}
        nothingYet={
          <NothingYet what="messages" hint="A message is delivered at least once, with retries:" command={COMMAND} />
        }
      />
    </Screen>
  );
}
