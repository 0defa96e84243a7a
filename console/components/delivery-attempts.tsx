import { useRead } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { When } from './screen.tsx';
import { Code, Duration, Foreign, Json, Time } from './values.tsx';

const SHOWN_MAX = 100;

/** Each attempt with its latency and what was answered, the last first. */
export function DeliveryAttempts({ messageId }: { messageId: string }) {
  const read = useRead('messages', '/api/v2/messages/{messageId}/attempts', {
    path: { messageId },
    query: { limit: SHOWN_MAX },
  });
  return (
    <When read={read}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="quiet">None yet.</p>
        ) : (
          <ol className="timeline">
            {data.map((attempt) => (
              <li key={attempt.number}>
                <Time at={attempt.startedAt} />
                <div>
                  <p>
                    <strong>Attempt {attempt.number}</strong>{' '}
                    {attempt.responseStatus === null ? (
                      <Badge of={attempt.status} />
                    ) : (
                      <Badge
                        of={attempt.responseStatus < 300 ? 'ok' : 'error'}
                        words={`HTTP ${attempt.responseStatus}`}
                      />
                    )}{' '}
                    <span className="quiet">
                      <Duration ms={attempt.latencyMs} />
                    </span>
                  </p>
                  {attempt.errorMessage !== null && (
                    <p className="problem-text">
                      <Foreign>{attempt.errorMessage}</Foreign>
                    </p>
                  )}
                  {attempt.responseStatus !== null && (
                    <details>
                      <summary>Answer</summary>
                      <Json value={attempt.responseHeaders ?? {}} label="response headers" />
                      {attempt.responseBody !== null && <Code text={attempt.responseBody} label="response body" />}
                    </details>
                  )}
                </div>
              </li>
            ))}
          </ol>
        )
      }
    </When>
  );
}
