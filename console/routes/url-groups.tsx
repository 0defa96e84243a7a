import { call } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { List, useListQuery } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { countText } from '../components/text.ts';
import { Foreign, Id, Time } from '../components/values.tsx';

const FILTERS = [{ name: 'name', label: 'Name' }] as const;

export function UrlGroupsScreen() {
  const environmentId = useEnvironmentId();
  const query = useListQuery(['name']);
  const read = useRead('url-groups', '/api/v2/url-groups', { query, keepsPrevious: true });
  const create = (
    <FormDialog
      open="New group"
      title="A group of destinations"
      submit="Create"
      tone="primary"
      fields={[{ name: 'name', label: 'Name', required: true, hint: 'Messages name it in place of a URL.' }]}
      change={({ name = '' }, idempotencyKey) =>
        call('post', '/api/v2/url-groups', { body: { name }, environmentId, idempotencyKey })
      }
    />
  );
  return (
    <Screen title="URL groups" actions={create}>
      <List
        read={read}
        noun={['group', 'groups']}
        idOf={({ groupId }) => groupId}
        pathOf={({ groupId }) => `/url-groups/${groupId}`}
        filters={FILTERS}
        columns={[
          { title: 'Name', cell: ({ name }) => <Foreign>{name}</Foreign> },
          { title: 'Destinations', align: 'right', cell: ({ endpointCount }) => countText(endpointCount) },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Group', on: 'wide', cell: ({ groupId }) => <Id value={groupId} short /> },
        ]}
        nothingYet={
          <NothingYet what="URL groups" hint="A group sends one message to many destinations. Create one above." />
        }
      />
    </Screen>
  );
}
