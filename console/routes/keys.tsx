import { call, type Schema } from '../api/client.ts';
import { type Environment, useEnvironments, useReadIn } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { instantOf, useClock } from '../components/clock.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { Code, Foreign, Id, None, Time } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

const PRESETS = ['agent', 'read_only', 'standard', 'full_access'] as const;

export function KeysScreen() {
  return <InWorkspace>{(environment) => <Keys environment={environment} />}</InWorkspace>;
}

function Keys({ environment }: { environment: Environment }) {
  const { workspaceId, workspaceName } = environment;
  const read = useReadIn(undefined, 'api-keys', '/api/v2/workspaces/{workspaceId}/api-keys', {
    path: { workspaceId },
    query: useListQuery([]),
    keepsPrevious: true,
  });
  return (
    <Screen title="Keys" kicker={workspaceName} actions={<NewKey environment={environment} />}>
      <List
        read={read}
        noun={['key', 'keys']}
        idOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => <Foreign>{name}</Foreign> },
          {
            title: 'State',
            cell: ({ isActive }) => (
              <Badge of={isActive ? 'active' : 'expired'} words={isActive ? 'Active' : 'Ended'} />
            ),
          },
          { title: 'Begins with', cell: ({ keyPrefix }) => <code>{keyPrefix}</code> },
          { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: 'Ends', on: 'wide', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          { title: 'Created', on: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Id', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
          { title: 'Do', cell: (key) => (key.isActive ? <Revoke workspaceId={workspaceId} apiKey={key} /> : <None />) },
        ]}
        nothingYet={<NothingYet what="keys" hint="Agents and services call with a key. Create one above." />}
      />
    </Screen>
  );
}

function NewKey({ environment: { workspaceId, id } }: { environment: Environment }) {
  const environments = (useEnvironments().data ?? []).filter((one) => one.workspaceId === workspaceId);
  const { isUtc } = useClock();
  return (
    <FormDialog
      open="New key"
      title="A new key"
      submit="Create"
      tone="primary"
      fields={[
        { name: 'name', label: 'Name', required: true, hint: 'Who will use it, and for what.' },
        {
          name: 'environmentId',
          label: 'Environment',
          kind: 'choice',
          required: true,
          initial: id,
          options: environments.map((one) => ({ value: one.id, label: one.name })),
        },
        {
          name: 'preset',
          label: 'What it may do',
          kind: 'choice',
          required: true,
          options: PRESETS,
          hint: 'An agent invokes and reads. Standard does most. Full access has every scope.',
        },
        { name: 'expiresAt', label: isUtc ? 'Ends (UTC)' : 'Ends', kind: 'date' },
      ]}
      change={({ name = '', environmentId = '', preset, expiresAt = '' }) =>
        call('post', '/api/v2/workspaces/{workspaceId}/api-keys', {
          path: { workspaceId },
          body: {
            name,
            environmentId,
            preset: preset as (typeof PRESETS)[number],
            ...(expiresAt === '' ? {} : { expiresAt: instantOf(expiresAt, isUtc) }),
          },
        })
      }
      result={(reply) => (
        <>
          <p>
            <strong>This is the only time that it is shown.</strong> Keep it where secrets are kept.
          </p>
          <Code text={(reply as { data: Schema<'CreatedApiKey'> }).data.key} label="the key" />
        </>
      )}
    />
  );
}

function Revoke({ workspaceId, apiKey: { id, name } }: { workspaceId: string; apiKey: Schema<'ApiKey'> }) {
  return (
    <FormDialog
      open="Revoke"
      title={`Revoke ${name}`}
      tone="danger"
      typed={name}
      change={() =>
        call('delete', '/api/v2/workspaces/{workspaceId}/api-keys/{keyId}', { path: { workspaceId, keyId: id } })
      }
    >
      <p>Whoever uses it is refused at once. It cannot be undone.</p>
    </FormDialog>
  );
}
