import { useParams } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Deletion } from '../components/deletion.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen, When } from '../components/screen.tsx';
import { Foreign, None, Time } from '../components/values.tsx';

export function UrlGroupScreen() {
  const { id: groupId = '' } = useParams({ strict: false });
  const environmentId = useEnvironmentId();
  const read = useRead('url-groups', '/api/v2/url-groups/{groupId}', { path: { groupId } });
  const remove = (endpointId: string) => (
    <FormDialog
      open="Remove"
      title="Remove this destination"
      tone="danger"
      change={(_, idempotencyKey) =>
        call('delete', '/api/v2/url-groups/{groupId}/endpoints/{endpointId}', {
          path: { groupId, endpointId },
          environmentId,
          idempotencyKey,
        })
      }
    >
      <p>Later messages to the group are not sent there. Those that are under way are.</p>
    </FormDialog>
  );
  return (
    <Screen
      title={read.data?.data.name ?? 'URL group'}
      kicker={<To path="/url-groups">URL groups</To>}
      actions={read.data === undefined ? undefined : <Acts groupId={groupId} />}
    >
      <When read={read}>
        {({ data: { endpoints } }) => (
          <Table
            nothing="It has no destination yet: a message to it goes nowhere."
            label="destinations"
            rows={endpoints}
            idOf={({ id }) => id}
            columns={[
              { title: 'URL', cell: ({ url }) => <Foreign>{url}</Foreign> },
              { title: 'Name', cell: ({ name }) => <Foreign>{name}</Foreign> },
              { title: 'Retries', align: 'right', cell: ({ retryCount }) => retryCount ?? <None /> },
              { title: 'Added', on: 'wide', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Do', cell: ({ id }) => remove(id) },
            ]}
          />
        )}
      </When>
    </Screen>
  );
}

function Acts({ groupId }: { groupId: string }) {
  const environmentId = useEnvironmentId();
  return (
    <>
      <FormDialog
        open="Add a destination"
        title="Add a destination"
        submit="Add"
        tone="primary"
        fields={[
          { name: 'url', label: 'URL', required: true },
          { name: 'name', label: 'Name' },
        ]}
        change={({ url = '', name }, idempotencyKey) =>
          call('post', '/api/v2/url-groups/{groupId}/endpoints', {
            path: { groupId },
            body: { url, ...(name === undefined || name === '' ? {} : { name }) },
            environmentId,
            idempotencyKey,
          })
        }
      />
      <Deletion
        title="Delete this group"
        back="/url-groups"
        remove={(idempotencyKey) =>
          call('delete', '/api/v2/url-groups/{groupId}', { path: { groupId }, environmentId, idempotencyKey })
        }
      >
        <p>Messages and schedules that name it fail from then on.</p>
      </Deletion>
    </>
  );
}
