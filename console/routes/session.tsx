import { useParams } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Deletion } from '../components/deletion.tsx';
import { To } from '../components/link.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { capital, countOf, countText } from '../components/text.ts';
import { Fields, Foreign, Id, Json, Time } from '../components/values.tsx';

const MESSAGES_SHOWN = 100;

export function SessionScreen() {
  const { id = '' } = useParams({ strict: false });
  const environmentId = useEnvironmentId();
  const read = useRead('sessions', '/api/v2/sessions/{id}', { path: { id } });
  const forget = (
    <Deletion
      title="Delete this session"
      back="/sessions"
      remove={(idempotencyKey) =>
        call('delete', '/api/v2/sessions/{id}', { path: { id }, environmentId, idempotencyKey })
      }
    >
      <p>The conversation is gone for good.</p>
    </Deletion>
  );
  return (
    <Screen
      title={read.data?.data.name ?? 'Session'}
      kicker={<To path="/sessions">Sessions</To>}
      actions={read.data === undefined ? undefined : forget}
    >
      <When read={read}>
        {({ data: session }) => (
          <div className="columns">
            <Messages id={session.id} />
            <aside>
              <Section title="Facts">
                <Fields
                  rows={{
                    Session: <Id value={session.id} />,
                    User: <Foreign>{session.userId}</Foreign>,
                    Agent: <Foreign>{session.agentId}</Foreign>,
                    Messages: countText(session.messageCount),
                    Tokens: countText(session.tokenCount),
                    Ends: session.expiresAt !== null && <Time at={session.expiresAt} distance />,
                    Created: <Time at={session.createdAt} distance />,
                    Changed: <Time at={session.updatedAt} distance />,
                  }}
                />
              </Section>
            </aside>
          </div>
        )}
      </When>
    </Screen>
  );
}

function Messages({ id }: { id: string }) {
  const read = useRead('sessions', '/api/v2/sessions/{id}/messages', {
    path: { id },
    query: { limit: MESSAGES_SHOWN, order: 'desc' },
  });
  return (
    <Section title="Messages">
      <When read={read}>
        {({ data, pagination }) => (
          <>
            <p className="count">
              {pagination.total > data.length
                ? `The last ${countText(data.length)} of ${countText(pagination.total)}`
                : countOf(pagination.total, 'message')}
            </p>
            <ol className="timeline">
              {data.toReversed().map((message) => (
                <Entry key={message.id} message={message} />
              ))}
            </ol>
          </>
        )}
      </When>
    </Section>
  );
}

function Entry({
  message: { role, name, content, createdAt, tokens, toolCalls },
}: {
  message: Schema<'SessionMessage'>;
}) {
  return (
    <li>
      <Time at={createdAt} />
      <div>
        <p>
          <strong>{capital(role)}</strong> {name !== null && <Foreign>{name}</Foreign>}{' '}
          <span className="quiet">{countOf(tokens, 'token')}</span>
        </p>
        {typeof content === 'string' ? (
          <p className="said">
            <Foreign>{content}</Foreign>
          </p>
        ) : (
          <Json value={content} label="content" />
        )}
        {toolCalls !== null && <Json value={toolCalls} label="tool calls" />}
      </div>
    </li>
  );
}
