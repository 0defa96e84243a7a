import { call } from '../api/client.ts';
import { useReadIn } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { Foreign, Time } from '../components/values.tsx';

/** Apps that act for this person, in every workspace. */
export function AppsScreen() {
  const query = useListQuery([]);
  const read = useReadIn(undefined, 'apps', '/api/v2/auth/connected-apps', { query, keepsPrevious: true });
  return (
    <Screen title="Connected apps" kicker="Yours">
      <List
        read={read}
        noun={['app', 'apps']}
        idOf={({ id }) => id}
        columns={[
          { title: 'App', cell: ({ name }) => <Foreign>{name}</Foreign> },
          {
            title: 'In',
            cell: ({ environment, workspace }) => <Foreign>{`${environment.name} of ${workspace.name}`}</Foreign>,
          },
          { title: 'May', on: 'wide', cell: ({ scopes }) => scopes.join(', ') },
          { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: 'Ends', on: 'wide', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            title: 'Do',
            cell: ({ id, name }) => (
              <FormDialog
                open="Disconnect"
                title={`Disconnect ${name}`}
                tone="danger"
                change={() => call('delete', '/api/v2/auth/connected-apps/{id}', { path: { id } })}
              >
                <p>It cannot act for you any more, from now on.</p>
              </FormDialog>
            ),
          },
        ]}
        nothingYet={
          <NothingYet
            what="connected apps"
            hint="An app that you let act for you, such as an MCP client, is listed here."
          />
        }
      />
    </Screen>
  );
}
