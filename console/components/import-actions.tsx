import { call, type Schema } from '../api/client.ts';
import { Badge } from './badge.tsx';
import { FormDialog } from './dialog.tsx';
import { filled } from './fields.tsx';
import { Table } from './list.tsx';
import { useEnvironmentId } from './location.ts';
import { Foreign } from './values.tsx';

/** Actions from an OpenAPI document: pasted, or read from an address. */
export function ImportActions() {
  const environmentId = useEnvironmentId();
  return (
    <FormDialog
      open="Import"
      title="Import actions from OpenAPI"
      submit="Import"
      fields={[
        { name: 'url', label: 'Address of the document', hint: 'Or paste the document below.' },
        { name: 'document', label: 'The document, JSON or YAML', kind: 'code' },
        { name: 'namePrefix', label: 'Names begin with' },
        {
          name: 'operations',
          label: 'Only these operations',
          hint: 'Their operationIds, with commas. By default all.',
        },
        { name: 'secret', label: 'Name of the secret that its calls carry' },
      ]}
      change={(values, idempotencyKey) => {
        const { operations, ...rest } = filled(values, ['url', 'document', 'namePrefix', 'operations', 'secret']);
        const body = {
          ...rest,
          ...(operations === undefined ? {} : { operations: operations.split(',').map((one) => one.trim()) }),
        };
        return call('post', '/api/v2/actions/import', { body, environmentId, idempotencyKey });
      }}
      result={(reply) => <Imported of={(reply as { data: Schema<'ImportedOperation'>[] }).data} />}
    >
      <p>
        Each operation becomes an action of its own. An action that is there already gets a new version if it differs.
      </p>
    </FormDialog>
  );
}

function Imported({ of: operations }: { of: readonly Schema<'ImportedOperation'>[] }) {
  return (
    <Table
      label="imported operations"
      rows={operations}
      idOf={({ operationId }) => operationId}
      columns={[
        { title: 'Action', cell: ({ name }) => <Foreign>{name}</Foreign> },
        { title: 'Result', cell: ({ status }) => <Badge of={status} /> },
        {
          title: 'Note',
          cell: ({ reason, warnings = [] }) => (
            <Foreign>{reason ?? warnings.map(({ message }) => message).join(' ')}</Foreign>
          ),
        },
      ]}
    />
  );
}
