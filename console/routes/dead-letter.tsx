import { useNavigate, useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { DeliveryAttempts } from '../components/delivery-attempts.tsx';
import { Deletion } from '../components/deletion.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { useEnvironmentId, useInEnvironment } from '../components/location.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { wordsOf } from '../components/text.ts';
import { Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

export function DeadLetterScreen() {
  const { id: messageId = '' } = useParams({ strict: false });
  const read = useRead('dlq', '/api/v2/dlq/{messageId}', { path: { messageId } });
  const letter = read.data?.data;
  return (
    <Screen
      title={letter === undefined ? 'Dead letter' : `${letter.method} ${letter.url}`}
      kicker={<To path="/dlq">Dead letters</To>}
      actions={letter === undefined ? undefined : <Acts messageId={messageId} />}
    >
      <When read={read}>{({ data }) => <Content letter={data} />}</When>
    </Screen>
  );
}

function Acts({ messageId }: { messageId: string }) {
  const environmentId = useEnvironmentId();
  const inEnvironment = useInEnvironment();
  const navigate = useNavigate();
  return (
    <>
      <FormDialog
        open="Retry"
        title="Publish it again"
        tone="primary"
        change={async (_, idempotencyKey) => {
          const { data } = await call('post', '/api/v2/dlq/{messageId}/retry', {
            path: { messageId },
            environmentId,
            idempotencyKey,
          });
          await navigate({ to: inEnvironment(`/messages/${data.messageId}`) });
        }}
      >
        <p>It becomes a new message with retries of its own. Its destination may get what it has already seen.</p>
      </FormDialog>
      <Deletion
        title="Delete this dead letter"
        back="/dlq"
        remove={(idempotencyKey) =>
          call('delete', '/api/v2/dlq/{messageId}', { path: { messageId }, environmentId, idempotencyKey })
        }
      >
        <p>It and its content are gone for good.</p>
      </Deletion>
    </>
  );
}

function Content({ letter }: { letter: Schema<'DeadLetter'> }) {
  return (
    <>
      <p className="lead">
        <Badge of="failed" /> {wordsOf(letter.dlqReason)}
      </p>
      <div className="columns">
        <div>
          <Section title="Attempts">
            <DeliveryAttempts messageId={letter.messageId} />
          </Section>
          <Section title="What was sent">
            <Json value={letter.body} label="body" />
            <details>
              <summary>Headers</summary>
              <Json value={letter.headers ?? {}} label="headers" />
            </details>
          </Section>
        </div>
        <aside>
          <Section title="Facts">
            <Fields
              rows={{
                Message: <Id value={letter.messageId} />,
                'Last error': letter.errorMessage !== null && <Foreign>{letter.errorMessage}</Foreign>,
                'Last answer': letter.responseStatus !== null && `HTTP ${letter.responseStatus}`,
                'Last attempt': <Time at={letter.lastAttemptAt} distance />,
                Failed: <Time at={letter.failedAt} distance />,
                Created: <Time at={letter.createdAt} distance />,
              }}
            />
          </Section>
        </aside>
      </div>
    </>
  );
}
