import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { type Column, List, Table, useListQuery } from '../components/list.tsx';
import { To } from '../components/link.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { countText } from '../components/text.ts';
import { Foreign, Id, Time } from '../components/values.tsx';

const TOPICS_MAX = 100;

const FILTERS = [
  { name: 'topic', label: 'Topic' },
  { name: 'type', label: 'Type' },
  { name: 'status', label: 'Status', options: ['fanning_out', 'fanned_out', 'failed'] },
  { name: 'startDate', label: 'Since', kind: 'day' },
] as const;

const COLUMNS: readonly Column<Schema<'ListedEvent'>>[] = [
  { title: 'Type', cell: ({ type }) => <Foreign>{type}</Foreign> },
  { title: 'Topic', cell: ({ topic }) => <Foreign>{topic}</Foreign> },
  { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
  { title: 'Deliveries', align: 'right', cell: ({ deliveryCount }) => countText(deliveryCount) },
  { title: 'Happened', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
  { title: 'Event', on: 'wide', cell: ({ eventId }) => <Id value={eventId} short /> },
];

export function EventsScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('events', '/api/v2/events', { query, keepsPrevious: true });
  return (
    <Screen title="Events" actions={<NewTopic />}>
      <Topics />
      <Section title="Events">
        <List
          read={read}
          noun={['event', 'events']}
          columns={COLUMNS}
          idOf={({ eventId }) => eventId}
          pathOf={({ eventId }) => `/events/${eventId}`}
          filters={FILTERS}
          nothingYet={
            <NothingYet
              what="events"
              hint="An event goes to every subscription of its topic:"
              command={`curl -sS -X POST $BASE/api/v2/events -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"topic":"orders","type":"order.paid","data":{}}'`}
            />
          }
        />
      </Section>
    </Screen>
  );
}

function NewTopic() {
  const environmentId = useEnvironmentId();
  return (
    <FormDialog
      open="New topic"
      title="A new topic"
      submit="Create"
      tone="primary"
      fields={[
        { name: 'name', label: 'Name', required: true },
        { name: 'description', label: 'What it is about' },
      ]}
      change={({ name = '', description = '' }, idempotencyKey) =>
        call('post', '/api/v2/events/topics', {
          environmentId,
          idempotencyKey,
          body: { name, ...(description === '' ? {} : { description }) },
        })
      }
    />
  );
}

function Topics() {
  const read = useRead('events', '/api/v2/events/topics', { query: { limit: TOPICS_MAX } });
  return (
    <Section title="Topics">
      <When read={read}>
        {({ data }) => (
          <Table
            nothing="There is no topic yet."
            label="topics"
            rows={data}
            idOf={({ id }) => id}
            pathOf={({ id }) => `/events/topics/${id}`}
            columns={[
              { title: 'Topic', cell: ({ name }) => <Foreign>{name}</Foreign> },
              { title: 'About', cell: ({ description }) => <Foreign>{description}</Foreign> },
              {
                title: 'Events',
                cell: ({ name }) => (
                  <To path="/events" search={{ topic: name }}>
                    Only these
                  </To>
                ),
              },
            ]}
          />
        )}
      </When>
    </Section>
  );
}
