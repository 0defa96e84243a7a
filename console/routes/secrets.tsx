import { call } from '../api/client.ts';
import { type Environment, useReadIn } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { Foreign, Time } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

export function SecretsScreen() {
  return <InWorkspace>{(environment) => <Secrets environment={environment} />}</InWorkspace>;
}

function Secrets({ environment }: { environment: Environment }) {
  const query = useListQuery([]);
  const read = useReadIn(environment.id, 'secrets', '/api/v2/secrets', { query, keepsPrevious: true });
  return (
    <Screen title="Secrets" kicker={environment.name} actions={<Put environmentId={environment.id} />}>
      <p className="quiet">A secret can be replaced and deleted. Nobody can read it again, not even here.</p>
      <List
        read={read}
        noun={['secret', 'secrets']}
        idOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => <code>{name}</code> },
          { title: 'For', cell: ({ description }) => <Foreign>{description}</Foreign> },
          { title: 'Version', align: 'right', cell: ({ version }) => version },
          { title: 'Replaced', cell: ({ rotatedAt }) => <Time at={rotatedAt} /> },
          { title: 'Created', on: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Do',
            cell: ({ name }) => (
              <span className="actions">
                <Put environmentId={environment.id} name={name} />
                <Delete environment={environment} name={name} />
              </span>
            ),
          },
        ]}
        nothingYet={
          <NothingYet
            what="secrets"
            hint="Actions name secrets as {{secret:NAME}}, and nobody sees them again. Add one above."
          />
        }
      />
    </Screen>
  );
}

function Put({ environmentId, name: known }: { environmentId: string; name?: string }) {
  return (
    <FormDialog
      open={known === undefined ? 'New secret' : 'Replace'}
      title={known === undefined ? 'A new secret' : `Replace ${known}`}
      submit="Save"
      {...(known === undefined ? { tone: 'primary' as const } : {})}
      fields={[
        ...(known === undefined ? [{ name: 'name', label: 'Name', required: true }] : []),
        { name: 'value', label: 'Value', kind: 'secret' as const, required: true },
        { name: 'description', label: 'What it is for' },
      ]}
      change={({ name = '', value = '', description = '' }) =>
        call('put', '/api/v2/secrets/{name}', {
          path: { name: known ?? name },
          environmentId,
          body: { value, ...(description === '' ? {} : { description }) },
        })
      }
    >
      {known !== undefined && <p>Approvals that were asked for with the present value are refused afterwards.</p>}
    </FormDialog>
  );
}

function Delete({ environment, name }: { environment: Environment; name: string }) {
  const query = environment.protected ? { confirmProtected: 'true' as const } : {};
  return (
    <FormDialog
      open="Delete"
      title={`Delete ${name}`}
      submit="Delete for good"
      tone="danger"
      typed={environment.protected ? environment.name : name}
      change={() => call('delete', '/api/v2/secrets/{name}', { path: { name }, query, environmentId: environment.id })}
    >
      <p>Actions that name it fail.</p>
    </FormDialog>
  );
}
