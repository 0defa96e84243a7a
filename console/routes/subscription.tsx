import { useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { instantOf, useClock } from '../components/clock.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { useSince } from '../components/ranges.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { countText, percentText } from '../components/text.ts';
import { Code, Duration, Fields, Foreign, Id, Time } from '../components/values.tsx';

type Subscription = Schema<'EventSubscription'>;

const ATTEMPTS_SHOWN = 50;
const DAY_MS = 86_400_000;

export function SubscriptionScreen() {
  const { id: subscriptionId = '' } = useParams({ strict: false });
  const read = useRead('events', '/api/v2/events/subscriptions/{subscriptionId}', { path: { subscriptionId } });
  const subscription = read.data?.data;
  return (
    <Screen
      title={subscription?.url ?? 'Subscription'}
      kicker={
        subscription === undefined ? (
          <To path="/events">Events</To>
        ) : (
          <To path={`/events/topics/${subscription.topicId}`}>Topic</To>
        )
      }
      actions={subscription === undefined ? undefined : <Acts subscription={subscription} />}
    >
      <When read={read}>{({ data }) => <Content subscription={data} />}</When>
    </Screen>
  );
}

function Acts({ subscription: { id: subscriptionId, enabled } }: { subscription: Subscription }) {
  const environmentId = useEnvironmentId();
  const { isUtc } = useClock();
  const at = { path: { subscriptionId }, environmentId };
  return (
    <>
      <FormDialog
        open="Send a test"
        title="Send a test event"
        submit="Send"
        tone="primary"
        change={(_, idempotencyKey) =>
          call('post', '/api/v2/events/subscriptions/{subscriptionId}/test', { ...at, idempotencyKey })
        }
      >
        <p>Its destination gets one event that is marked as a test.</p>
      </FormDialog>
      <FormDialog
        open={enabled ? 'Disable' : 'Enable'}
        title={enabled ? 'Disable this subscription' : 'Enable this subscription'}
        change={(_, idempotencyKey) =>
          call('patch', '/api/v2/events/subscriptions/{subscriptionId}', {
            ...at,
            idempotencyKey,
            body: { enabled: !enabled },
          })
        }
      >
        <p>
          {enabled
            ? 'It gets nothing until somebody enables it.'
            : 'It gets events again. Recover what it missed afterwards.'}
        </p>
      </FormDialog>
      <FormDialog
        open="Recover"
        title="Send what failed again"
        fields={[{ name: 'since', label: isUtc ? 'Events since (UTC)' : 'Events since', kind: 'date', required: true }]}
        change={({ since = '' }, idempotencyKey) =>
          call('post', '/api/v2/events/subscriptions/{subscriptionId}/recover', {
            ...at,
            idempotencyKey,
            body: { since: instantOf(since, isUtc) },
          })
        }
      />
      <FormDialog
        open="Rotate the secret"
        title="Rotate the secret"
        submit="Rotate"
        tone="danger"
        change={() => call('post', '/api/v2/events/subscriptions/{subscriptionId}/rotate-secret', at)}
        result={(reply) => (
          <>
            <p>The new secret is shown once.</p>
            <Code text={(reply as { data: Schema<'RotatedSubscriptionSecret'> }).data.secret} label="the secret" />
          </>
        )}
      >
        <p>The old secret signs beside the new one for a day.</p>
      </FormDialog>
    </>
  );
}

function Content({ subscription }: { subscription: Subscription }) {
  const { id, enabled, disabledAt, eventTypes, hasCustomSecret, createdAt } = subscription;
  return (
    <>
      <p className="lead">
        <Badge of={enabled ? 'enabled' : 'disabled'} />
        {disabledAt !== null && (
          <span className="quiet">
            since <Time at={disabledAt} distance />
          </span>
        )}
        <Health id={id} />
      </p>
      <div className="columns">
        <Attempts id={id} />
        <aside>
          <Section title="Facts">
            <Fields
              rows={{
                Subscription: <Id value={id} />,
                Types: <Foreign>{eventTypes.join(', ')}</Foreign>,
                'Signed with': hasCustomSecret ? 'a secret of its own' : 'the key of the environment',
                Made: <Time at={createdAt} distance />,
              }}
            />
          </Section>
        </aside>
      </div>
    </>
  );
}

function Health({ id }: { id: string }) {
  const from = useSince(DAY_MS);
  const { data } = useRead('analytics', '/api/v2/analytics/delivery', { query: { from, subscriptionId: id } });
  if (data === undefined || data.data.attempts.total === 0) return null;
  const { total, succeeded } = data.data.attempts;
  return (
    <span>
      {percentText(succeeded / total)} of {countText(total)} attempts succeeded in 24 hours
    </span>
  );
}

function Attempts({ id }: { id: string }) {
  const read = useRead('events', '/api/v2/events/subscriptions/{subscriptionId}/attempts', {
    path: { subscriptionId: id },
    query: { limit: ATTEMPTS_SHOWN },
  });
  return (
    <Section title="Last attempts">
      <When read={read}>
        {({ data }) => (
          <Table
            nothing="None yet."
            label="attempts"
            rows={data}
            idOf={({ messageId, number }) => `${messageId} ${number}`}
            pathOf={({ messageId }) => `/messages/${messageId}`}
            columns={[
              { title: 'Event', cell: ({ eventType }) => <Foreign>{eventType ?? 'gone'}</Foreign> },
              { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
              {
                title: 'Answer',
                cell: ({ responseStatus, errorMessage }) => responseStatus ?? <Foreign>{errorMessage}</Foreign>,
              },
              { title: 'Took', align: 'right', cell: ({ latencyMs }) => <Duration ms={latencyMs} /> },
              { title: 'Began', cell: ({ startedAt }) => <Time at={startedAt} /> },
            ]}
          />
        )}
      </When>
    </Section>
  );
}
