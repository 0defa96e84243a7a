import { useEnvironment, useRead } from '../api/queries.ts';
import { ACTION, firstSteps } from '../components/first-steps.ts';
import { To } from '../components/link.tsx';
import { Screen, Section, When } from '../components/screen.tsx';
import { Code, Time } from '../components/values.tsx';

export function WelcomeScreen() {
  const environment = useEnvironment();
  if (environment === undefined || environment === null) {
    return <Screen title="From nothing to the first approved effect">{null}</Screen>;
  }
  return (
    <Screen title="From nothing to the first approved effect" kicker={environment.name}>
      <Section title="The short way">
        <ol className="steps">
          {firstSteps(window.location.origin).map(({ title, says, command }) => (
            <li key={title}>
              <p>
                <strong>{title}</strong> <span className="quiet">{says}</span>
              </p>
              <Code text={command} label={`the command: ${title}`} />
            </li>
          ))}
          <li>
            <p>
              <strong>Decide</strong>{' '}
              <a href={`/console/environments/${environment.id}/approvals`}>Open what waits for a decision</a>
            </p>
          </li>
          <li>
            <p>
              <strong>See what became of it</strong>{' '}
              <To path="/effects" search={{ action: ACTION }}>
                Open its effect, with the receipt
              </To>
            </p>
          </li>
        </ol>
      </Section>
      <Checklist />
    </Screen>
  );
}

/** The service's own list: it knows what was done here. */
function Checklist() {
  const read = useRead('analytics', '/api/v2/analytics/onboarding');
  return (
    <When read={read}>
      {({ data: { steps, completed, total } }) => (
        <Section title={`Everything else: ${completed} of ${total} steps are done`}>
          <ul className="checklist">
            {steps.map(({ id, title, done, doneAt, docsUrl }) => (
              <li key={id} className={done ? 'done' : ''}>
                <span aria-hidden="true">{done ? '✓' : '○'}</span> {title}{' '}
                {done ? (
                  <span className="quiet">
                    done <Time at={doneAt} />
                  </span>
                ) : (
                  <a href={docsUrl} aria-label={`How: ${title}`}>
                    How
                  </a>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </When>
  );
}
