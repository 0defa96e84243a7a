import { useParams } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { Screen, Section, When } from '../components/screen.tsx';
import { Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

export function EventScreen() {
  const { id: eventId = '' } = useParams({ strict: false });
  const read = useRead('events', '/api/v2/events/{eventId}', { path: { eventId } });
  return (
    <Screen title={read.data?.data.type ?? 'Event'} kicker={<To path="/events">Events</To>}>
      <When read={read}>
        {({ data: event }) => (
          <>
            <p className="lead">
              <Badge of={event.status} /> <Foreign>{event.topic}</Foreign>
              {event.error !== null && <Foreign>{event.error.message}</Foreign>}
            </p>
            <div className="columns">
              <div>
                <Section title="Deliveries">
                  <Table
                    label="deliveries"
                    rows={event.deliveries}
                    idOf={({ messageId }) => messageId}
                    pathOf={({ messageId }) => `/messages/${messageId}`}
                    columns={[
                      { title: 'Destination', cell: ({ url }) => <Foreign>{url}</Foreign> },
                      { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
                      { title: 'Attempts', align: 'right', cell: ({ attempts }) => attempts.length },
                      { title: 'Next', on: 'wide', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
                    ]}
                  />
                </Section>
                <Section title="Data">
                  <Json value={event.data} label="data" />
                </Section>
              </div>
              <aside>
                <Section title="Facts">
                  <Fields
                    rows={{
                      Event: <Id value={event.eventId} />,
                      Topic: <To path={`/events/topics/${event.topicId}`}>Open the topic</To>,
                      Happened: <Time at={event.occurredAt} distance />,
                      'Fanned out': <Time at={event.fannedOutAt} distance />,
                    }}
                  />
                </Section>
              </aside>
            </div>
          </>
        )}
      </When>
    </Screen>
  );
}
