import { call, type Schema } from '../api/client.ts';
import { type Environment, useReadIn } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { capital } from '../components/text.ts';
import { Foreign, Time } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

type Integration = Schema<'Integration'>;

export function IntegrationsScreen() {
  return <InWorkspace>{(environment) => <Integrations environment={environment} />}</InWorkspace>;
}

function Integrations({ environment }: { environment: Environment }) {
  const query = useListQuery([]);
  const read = useReadIn(environment.id, 'integrations', '/api/v2/integrations', { query, keepsPrevious: true });
  return (
    <Screen
      title="Integrations"
      kicker={environment.name}
      actions={
        <>
          <ConnectSlack environmentId={environment.id} />
          <ConnectDiscord environmentId={environment.id} />
        </>
      }
    >
      <List
        read={read}
        noun={['integration', 'integrations']}
        idOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => <Foreign>{name}</Foreign> },
          { title: 'State', cell: ({ isActive }) => <Badge of={isActive ? 'active' : 'disabled'} /> },
          {
            title: 'Where',
            cell: ({ provider, channel }) => (
              <Foreign>{`${capital(provider)}${channel === null ? '' : `, ${channel.name}`}`}</Foreign>
            ),
          },
          { title: 'Decides', cell: ({ buttons }) => (buttons ? 'By buttons in the chat' : 'By a link to the page') },
          { title: 'Changed', on: 'wide', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          { title: 'Do', cell: (integration) => <Acts environmentId={environment.id} integration={integration} /> },
        ]}
        nothingYet={
          <NothingYet
            what="integrations"
            hint="Approvals are asked where your people are: connect Slack or Discord above."
          />
        }
      />
    </Screen>
  );
}

function ConnectSlack({ environmentId }: { environmentId: string }) {
  return (
    <FormDialog
      open="Connect Slack"
      title="Connect a Slack app"
      submit="Connect"
      tone="primary"
      fields={[
        {
          name: 'botToken',
          label: 'Bot token',
          kind: 'secret',
          required: true,
          hint: 'With chat:write, channels:read and groups:read.',
        },
        {
          name: 'signingSecret',
          label: 'Signing secret',
          kind: 'secret',
          hint: 'With it, messages have buttons that decide.',
        },
      ]}
      change={({ botToken = '', signingSecret = '' }) =>
        call('post', '/api/v2/integrations/slack', {
          environmentId,
          body: { botToken, ...(signingSecret === '' ? {} : { signingSecret }) },
        })
      }
    >
      <p>Choose its channel afterwards. Both are sealed and never shown again.</p>
    </FormDialog>
  );
}

function ConnectDiscord({ environmentId }: { environmentId: string }) {
  return (
    <FormDialog
      open="Connect Discord"
      title="Connect a Discord channel"
      submit="Connect"
      fields={[
        { name: 'webhookUrl', label: 'URL of the webhook', kind: 'secret', required: true },
        { name: 'publicKey', label: 'Public key of the app', hint: 'With it, messages have buttons that decide.' },
      ]}
      change={({ webhookUrl = '', publicKey = '' }) =>
        call('post', '/api/v2/integrations/discord', {
          environmentId,
          body: { webhookUrl, ...(publicKey === '' ? {} : { publicKey }) },
        })
      }
    />
  );
}

function Acts({
  environmentId,
  integration: { id, provider, name, isActive },
}: {
  environmentId: string;
  integration: Integration;
}) {
  const at = { path: { id }, environmentId };
  return (
    <span className="actions">
      <FormDialog
        open="Send a test"
        title={`Send a test to ${name}`}
        submit="Send"
        change={() =>
          provider === 'slack'
            ? call('post', '/api/v2/integrations/slack/{id}/test', at)
            : call('post', '/api/v2/integrations/discord/{id}/test', at)
        }
      />
      {provider === 'slack' && (
        <FormDialog
          open="Channel"
          title="Choose the channel"
          submit="Save"
          fields={[
            {
              name: 'channelId',
              label: 'Id of the channel',
              required: true,
              hint: 'Slack shows it in the details of the channel. Invite the bot first.',
            },
          ]}
          change={({ channelId = '' }) =>
            call('patch', '/api/v2/integrations/slack/{id}/channel', { ...at, body: { channelId } })
          }
        />
      )}
      <FormDialog
        open={isActive ? 'Disable' : 'Enable'}
        title={`${isActive ? 'Disable' : 'Enable'} ${name}`}
        change={() => call('patch', '/api/v2/integrations/{id}/toggle', { ...at, body: { isActive: !isActive } })}
      >
        <p>{isActive ? 'Nothing is posted there any more.' : 'Approvals are posted there again.'}</p>
      </FormDialog>
    </span>
  );
}
