import { useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { DeliveryAttempts } from '../components/delivery-attempts.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

type Message = Schema<'PublicMessage'>;

const CAN_BE_CANCELLED = new Set<Message['status']>(['pending', 'scheduled']);

export function MessageScreen() {
  const { id: messageId = '' } = useParams({ strict: false });
  const environmentId = useEnvironmentId();
  const read = useRead('messages', '/api/v2/messages/{messageId}', { path: { messageId } });
  const message = read.data?.data;
  const cancel = (
    <FormDialog
      open="Cancel"
      title="Cancel this message"
      submit="Cancel the message"
      tone="danger"
      change={() => call('delete', '/api/v2/messages/{messageId}', { path: { messageId }, environmentId })}
    >
      <p>It is not sent any more. What was sent already stays sent.</p>
    </FormDialog>
  );
  return (
    <Screen
      title={message === undefined ? 'Message' : `${message.method} ${message.url}`}
      kicker={<To path="/messages">Messages</To>}
      actions={message !== undefined && CAN_BE_CANCELLED.has(message.status) ? cancel : undefined}
    >
      <When read={read}>{({ data }) => <Content message={data} />}</When>
    </Screen>
  );
}

function Content({ message }: { message: Message }) {
  return (
    <>
      <p className="lead">
        <Badge of={message.status} />
        {message.status === 'failed' && <To path={`/dlq/${message.messageId}`}>In the dead letters</To>}
      </p>
      <div className="columns">
        <div>
          <Section title="Attempts">
            <DeliveryAttempts messageId={message.messageId} />
          </Section>
          <Section title="What is sent">
            {message.contentExpired && <p className="quiet">Its content was removed when its time was over.</p>}
            <Json value={message.body} label="body" />
            <details>
              <summary>Headers</summary>
              <Json value={message.headers ?? {}} label="headers" />
            </details>
          </Section>
        </div>
        <aside>
          <MessageFacts message={message} />
        </aside>
      </div>
    </>
  );
}

function MessageFacts({ message }: { message: Message }) {
  const { flowControlKey, retryOf, scheduleId, urlGroupId, label } = message;
  return (
    <Section title="Facts">
      <Fields
        rows={{
          Message: <Id value={message.messageId} />,
          Label: label !== null && <Foreign>{label}</Foreign>,
          'Not before': message.scheduledFor !== null && <Time at={message.scheduledFor} distance />,
          'Next attempt': message.nextAttemptAt !== null && <Time at={message.nextAttemptAt} distance />,
          'Retries at most': message.maxRetries,
          'Flow control': flowControlKey !== null && (
            <To path="/flow-control" search={{ key: flowControlKey }}>
              <Foreign>{flowControlKey}</Foreign>
            </To>
          ),
          'Retry of': retryOf !== null && <To path={`/messages/${retryOf}`}>The one before</To>,
          Schedule: scheduleId !== null && <Id value={scheduleId} />,
          'URL group': urlGroupId !== null && <To path={`/url-groups/${urlGroupId}`}>Open the group</To>,
          'Told of the end': message.callbackUrl !== null && <Foreign>{message.callbackUrl}</Foreign>,
          'Told of a failure': message.failureCallbackUrl !== null && <Foreign>{message.failureCallbackUrl}</Foreign>,
          Created: <Time at={message.createdAt} distance />,
          Delivered: message.deliveredAt !== null && <Time at={message.deliveredAt} distance />,
          Failed: message.failedAt !== null && <Time at={message.failedAt} distance />,
        }}
      />
    </Section>
  );
}
