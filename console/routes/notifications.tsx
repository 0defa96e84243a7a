import { call, type Schema } from '../api/client.ts';
import { type Environment, useReadIn } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { CHECKED, type FieldValues } from '../components/fields.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { Screen, Section, When } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { capital } from '../components/text.ts';
import { Fields, Foreign, Time } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

type Type = Schema<'NotificationType'>;

const FILTERS = [{ name: 'unread', label: 'Unread alone', options: ['true'] }] as const;

/** In the order in which a person would look for them. */
const TYPES: Readonly<Record<string, string>> = {
  'approval.requested': 'An approval waits',
  'effect.unknown': 'An outcome is unknown',
  'effect.exhausted': 'Only a person can find out',
  'impact_limit.threshold': 'A limit is nearly used up',
  'impact_limit.exceeded': 'A limit is used up',
  'message.failed': 'A message failed for good',
  'subscription.disabled': 'A subscription was disabled',
  'environment.halted': 'An environment was halted',
};

export function NotificationsScreen() {
  return <InWorkspace>{(environment) => <Notifications environment={environment} />}</InWorkspace>;
}

function Notifications({ environment }: { environment: Environment }) {
  const query = useListQuery(['unread']);
  const read = useReadIn(environment.id, 'notifications', '/api/v2/notifications', { query, keepsPrevious: true });
  const readAll = (
    <FormDialog
      open="Mark all as read"
      title="Mark all as read"
      change={() => call('patch', '/api/v2/notifications/read-all', { environmentId: environment.id })}
    />
  );
  return (
    <Screen title="Notifications" kicker={environment.name} actions={readAll}>
      <List
        read={read}
        noun={['notification', 'notifications']}
        idOf={({ id }) => id}
        filters={FILTERS}
        columns={[
          {
            title: 'What',
            cell: ({ title, url, readAt }) => {
              const words = <Foreign>{title}</Foreign>;
              return (
                <>
                  {readAt === null && <span className="new">New</span>}{' '}
                  {url === null ? words : <a href={url}>{words}</a>}
                </>
              );
            },
          },
          { title: 'More', on: 'wide', cell: ({ body }) => <Foreign>{body}</Foreign> },
          { title: 'Times', align: 'right', cell: ({ count }) => count },
          { title: 'Last', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        nothingYet={
          <NothingYet
            what="notifications"
            hint="What needs a person is told here, by e-mail and to the alert webhook."
          />
        }
      />
      <Own environmentId={environment.id} />
      <Preferences environmentId={environment.id} />
    </Screen>
  );
}

function Own({ environmentId }: { environmentId: string }) {
  const read = useReadIn(environmentId, 'notifications', '/api/v2/notifications/preferences/me');
  return (
    <Section title="What you are told">
      <When read={read}>
        {({ data: { mutedTypes } }) => (
          <>
            <p>{mutedTypes.length === 0 ? 'Everything.' : `Everything but: ${mutedTypes.map(wordsFor).join(', ')}.`}</p>
            <FormDialog
              key={mutedTypes.join()}
              open="Choose"
              title="What you are told"
              submit="Save"
              fields={Object.keys(TYPES).map((type) => ({
                name: type,
                label: wordsFor(type),
                kind: 'check' as const,
                initial: mutedTypes.includes(type as Type) ? '' : CHECKED,
              }))}
              change={(values) =>
                call('patch', '/api/v2/notifications/preferences/me', {
                  environmentId,
                  body: { mutedTypes: muted(values, mutedTypes) },
                })
              }
            />
          </>
        )}
      </When>
    </Section>
  );
}

/** Types that the dialog does not offer stay as they are. */
function muted(values: FieldValues, before: readonly Type[]): Type[] {
  const offered = Object.keys(TYPES) as Type[];
  return [...before.filter((type) => !offered.includes(type)), ...offered.filter((type) => values[type] !== CHECKED)];
}

function wordsFor(type: string): string {
  return TYPES[type] ?? capital(type.replaceAll(/[._]/g, ' '));
}

function Preferences({ environmentId }: { environmentId: string }) {
  const read = useReadIn(environmentId, 'notifications', '/api/v2/notifications/preferences');
  return (
    <Section title="What the workspace is told by">
      <When read={read}>
        {({ data: { alertWebhookUrl, emailRecipients } }) => (
          <>
            <Fields
              rows={{
                'Alert webhook': <Foreign>{alertWebhookUrl}</Foreign>,
                'E-mail to': <Foreign>{emailRecipients.join(', ')}</Foreign>,
              }}
            />
            <p className="buttons">
              <FormDialog
                key={`${alertWebhookUrl} ${emailRecipients.join()}`}
                open="Change"
                title="What the workspace is told by"
                submit="Save"
                fields={[
                  { name: 'webhook', label: 'Alert webhook, a URL', initial: alertWebhookUrl ?? '' },
                  { name: 'emails', label: 'E-mail to', initial: emailRecipients.join(', '), hint: 'With commas.' },
                ]}
                change={({ webhook = '', emails = '' }) =>
                  call('patch', '/api/v2/notifications/preferences', {
                    environmentId,
                    body: {
                      alertWebhookUrl: webhook === '' ? null : webhook,
                      emailRecipients: emails
                        .split(',')
                        .map((one) => one.trim())
                        .filter((one) => one !== ''),
                    },
                  })
                }
              />
              <FormDialog
                open="Send a test"
                title="Send a test to the webhook"
                submit="Send"
                change={() => call('post', '/api/v2/notifications/preferences/test-webhook', { environmentId })}
              />
            </p>
          </>
        )}
      </When>
    </Section>
  );
}
