import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Deletion } from '../components/deletion.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { bytesText } from '../components/text.ts';
import { Foreign, Id, Time } from '../components/values.tsx';

const FILTERS = [
  { name: 'status', label: 'Status', options: ['pending', 'ready'] },
  { name: 'purpose', label: 'Purpose' },
] as const;

const COLUMNS: readonly Column<Schema<'File'>>[] = [
  { title: 'File', cell: ({ filename }) => <Foreign>{filename}</Foreign> },
  { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
  { title: 'Size', align: 'right', cell: ({ size }) => <span title={`${size} bytes`}>{bytesText(size)}</span> },
  { title: 'Type', on: 'wide', cell: ({ contentType }) => <Foreign>{contentType}</Foreign> },
  { title: 'Purpose', on: 'wide', cell: ({ purpose }) => <Foreign>{purpose}</Foreign> },
  { title: 'Uploaded', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Kept until', on: 'wide', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  { title: 'Id', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
  { title: 'Do', cell: ({ id, filename }) => <Delete id={id} name={filename} /> },
];

function Delete({ id, name }: { id: string; name: string }) {
  const environmentId = useEnvironmentId();
  return (
    <Deletion
      title={`Delete ${name}`}
      remove={() => call('delete', '/api/v2/files/{fileId}', { path: { fileId: id }, environmentId })}
    >
      <p>Its bytes are gone for good. Requests that name it fail.</p>
    </Deletion>
  );
}

export function FilesScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('files', '/api/v2/files', { query, keepsPrevious: true });
  return (
    <Screen title="Files">
      <List
        read={read}
        noun={['file', 'files']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="files"
            hint="Files are attached to what actions send:"
            command={`curl -sS -X POST $BASE/api/v2/files -H "Authorization: Bearer $PUBLISHER" -F file=@invoice.pdf`}
          />
        }
      />
    </Screen>
  );
}
