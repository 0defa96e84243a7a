import { useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { Code, Foreign, Time } from '../components/values.tsx';

export function TopicScreen() {
  const { id: ref = '' } = useParams({ strict: false });
  const topic = useRead('events', '/api/v2/events/topics/{ref}', { path: { ref } });
  const read = useRead('events', '/api/v2/events/topics/{ref}/subscriptions', {
    path: { ref },
    query: useListQuery([]),
  });
  const description = topic.data?.data.description;
  return (
    <Screen
      title={topic.data?.data.name ?? 'Topic'}
      kicker={<To path="/events">Events</To>}
      actions={<NewSubscription topic={ref} />}
    >
      {typeof description === 'string' && (
        <p>
          <Foreign>{description}</Foreign>
        </p>
      )}
      <List
        read={read}
        noun={['subscription', 'subscriptions']}
        idOf={({ id }) => id}
        pathOf={({ id }) => `/events/subscriptions/${id}`}
        columns={[
          { title: 'Destination', cell: ({ url }) => <Foreign>{url}</Foreign> },
          {
            title: 'State',
            cell: ({ enabled, disabledAt }) => (
              <>
                <Badge of={enabled ? 'enabled' : 'disabled'} /> {disabledAt !== null && <Time at={disabledAt} />}
              </>
            ),
          },
          { title: 'Types', cell: ({ eventTypes }) => <Foreign>{eventTypes.join(', ')}</Foreign> },
          { title: 'Made', on: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        nothingYet={
          <NothingYet
            what="subscriptions"
            hint="A subscription sends the events of this topic to a URL. Create one above."
          />
        }
      />
    </Screen>
  );
}

function NewSubscription({ topic }: { topic: string }) {
  const environmentId = useEnvironmentId();
  return (
    <FormDialog
      open="New subscription"
      title="A new subscription"
      submit="Create"
      tone="primary"
      fields={[
        { name: 'url', label: 'Destination, a URL', required: true },
        {
          name: 'types',
          label: 'Types of events',
          hint: 'With commas; order.* matches all that begin so. By default all.',
        },
      ]}
      change={({ url = '', types = '' }, idempotencyKey) =>
        call('post', '/api/v2/events/topics/{ref}/subscriptions', {
          path: { ref: topic },
          environmentId,
          idempotencyKey,
          body: { url, ...(types === '' ? {} : { eventTypes: types.split(',').map((one) => one.trim()) }) },
        })
      }
      result={(reply) => {
        const { secret } = (reply as { data: Schema<'EventSubscriptionCreated'> }).data as { secret?: string | null };
        return secret === undefined || secret === null ? (
          <p>It is signed with the key of the environment.</p>
        ) : (
          <>
            <p>Its deliveries are signed with this secret. It is shown once.</p>
            <Code text={secret} label="the secret" />
          </>
        );
      }}
    />
  );
}
