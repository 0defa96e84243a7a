import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { useEnvironmentId, useInEnvironment } from '../components/location.ts';
import { useTypedName } from '../components/protection.ts';
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
        {({ data: { endpoints } }) =>
          endpoints.length === 0 ? (
            <p className="quiet">It has no destination yet: a message to it goes nowhere.</p>
          ) : (
            <Table
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
          )
        }
      </When>
    </Screen>
  );
}

function Acts({ groupId }: { groupId: string }) {
  const environmentId = useEnvironmentId();
  const inEnvironment = useInEnvironment();
  const navigate = useNavigate();
  const typed = useTypedName();
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
      <FormDialog
        open="Delete"
        title="Delete this group"
        submit="Delete for good"
        tone="danger"
        typed={typed}
        change={async (_, idempotencyKey) => {
          await call('delete', '/api/v2/url-groups/{groupId}', { path: { groupId }, environmentId, idempotencyKey });
          await navigate({ to: inEnvironment('/url-groups') });
        }}
      >
        <p>Messages and schedules that name it fail from then on.</p>
      </FormDialog>
    </>
  );
}
