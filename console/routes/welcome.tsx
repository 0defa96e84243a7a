import { useRead, useEnvironment } from '../api/queries.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { Code, Time } from '../components/values.tsx';

/** The command for each step that one can be done with; the other steps are links into the documentation. */
const COMMANDS: Readonly<Record<string, string>> = {
  action_created: `curl -sS -X POST $BASE/api/v2/actions -H "Authorization: Bearer $OPERATOR" \\
  -H 'Content-Type: application/json' -d '{
  "name": "hello.world", "governed": true,
  "adapter": { "type": "http.request", "config": { "method": "POST", "url": "https://example.com/hook" } } }'`,
  first_preview: `curl -sS -X POST $BASE/api/v2/actions/hello.world/previews -H "Authorization: Bearer $AGENT" \\
  -H 'Content-Type: application/json' -d '{"input":{}}'`,
  first_invocation: `curl -sS -X POST $BASE/api/v2/actions/hello.world/invoke -H "Authorization: Bearer $AGENT" \\
  -H 'Content-Type: application/json' -d '{"input":{}}'`,
  first_message: `curl -sS -X POST $BASE/api/v2/messages/publish -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"url":"https://example.com/hook","body":{"hello":"world"}}'`,
  first_run: `curl -sS -X POST $BASE/api/v2/runs -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"agentId":"my-agent"}'`,
};

export function WelcomeScreen() {
  const environment = useEnvironment();
  const read = useRead('analytics', '/api/v2/analytics/onboarding', { enabled: environment !== undefined });
  return (
    <Screen title="From nothing to the first approved effect">
      <p>
        {environment === undefined || environment === null ? '' : `These are the steps in ${environment.name}. `}
        On <code>npm start</code>, this sets the keys that the commands name:
      </p>
      <Code
        text={`export BASE=${window.location.origin}\neval "$(npm run --silent env)"`}
        label="the command that sets the keys"
      />
      <When read={read}>
        {({ data: { steps, completed, total } }) => {
          const next = steps.find(({ done }) => !done)?.id;
          return (
            <Section title={`${completed} of ${total} steps are done`}>
              <ol className="steps">
                {steps.map(({ id, title, done, doneAt, docsUrl }) => (
                  <li key={id} className={done ? 'done' : id === next ? 'next' : ''}>
                    <p>
                      <span aria-hidden="true">{done ? '✓' : '○'}</span> <strong>{title}</strong>{' '}
                      {done ? (
                        <span className="quiet">
                          done <Time at={doneAt} />
                        </span>
                      ) : (
                        <a href={docsUrl}>How</a>
                      )}
                    </p>
                    {!done && COMMANDS[id] !== undefined && (
                      <Code text={COMMANDS[id]} label={`the command for: ${title}`} />
                    )}
                  </li>
                ))}
              </ol>
            </Section>
          );
        }}
      </When>
    </Screen>
  );
}
