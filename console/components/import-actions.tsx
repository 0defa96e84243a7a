import { useRef, useState } from 'react';
import { call, type Schema } from '../api/client.ts';
import { useChange } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { Problem } from './dialog.tsx';
import { type Field, FieldInput, type FieldValues, filled, initialValues } from './fields.tsx';
import { Table } from './list.tsx';
import { useEnvironmentId } from './location.ts';
import { useTypedName } from './protection.ts';
import { countOf } from './text.ts';
import { Foreign } from './values.tsx';
import { TypedName } from './typed-name.tsx';

type Operation = Schema<'ImportedOperation'>;

const FIELDS: readonly Field[] = [
  { name: 'url', label: 'Address of the document', hint: 'Or paste the document below.' },
  { name: 'document', label: 'The document, JSON or YAML', kind: 'code' },
  { name: 'namePrefix', label: 'Names begin with' },
  { name: 'operations', label: 'Only these operations', hint: 'Their operationIds, with commas. By default all.' },
  { name: 'secret', label: 'Name of the secret that its calls carry' },
];

/** Actions from an OpenAPI document, pasted or read from an address: planned first, and imported when the plan was seen. */
export function ImportActions() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const show = (): void => {
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" onClick={show}>
        Import
      </button>
      <dialog ref={dialog} className="large" aria-label="Import actions from OpenAPI" onClose={() => setOpen(false)}>
        {isOpen && <Steps close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function bodyOf(values: FieldValues): Schema<'ImportActions'> {
  const { operations, ...rest } = filled(
    values,
    FIELDS.map(({ name }) => name),
  );
  return operations === undefined ? rest : { ...rest, operations: operations.split(',').map((one) => one.trim()) };
}

function useImport(dryRun: boolean) {
  const environmentId = useEnvironmentId();
  return useChange(async (values: FieldValues) => {
    const body = dryRun ? { ...bodyOf(values), dryRun } : bodyOf(values);
    return (await call('post', '/api/v2/actions/import', { body, environmentId })).data;
  });
}

function Steps({ close }: { close: () => void }) {
  const [values, setValues] = useState(() => initialValues(FIELDS));
  const [plan, done] = [useImport(true), useImport(false)];
  const shown = done.data ?? plan.data;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        plan.mutate(values);
      }}
    >
      <h2>Import actions from OpenAPI</h2>
      {shown === undefined && (
        <>
          <p>
            Each operation becomes an action of its own. An action that is there already gets a new version if it
            differs.
          </p>
          {FIELDS.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              change={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            />
          ))}
        </>
      )}
      <Problem error={done.error ?? plan.error} />
      {shown !== undefined && <Operations of={shown} isDone={done.data !== undefined} />}
      {plan.data !== undefined && done.data === undefined && (
        <Confirm of={plan.data} isPending={done.isPending} apply={() => done.mutate(values)} />
      )}
      <div className="buttons">
        {plan.data === undefined && (
          <button type="submit" className="primary" disabled={plan.isPending}>
            {plan.isPending ? 'Planning …' : 'Plan'}
          </button>
        )}
        {plan.data !== undefined && done.data === undefined && (
          <button type="button" onClick={() => plan.reset()}>
            Back
          </button>
        )}
        <button type="button" onClick={close}>
          {done.data === undefined ? 'Cancel' : 'Close'}
        </button>
      </div>
    </form>
  );
}

const CHANGES = new Set<Operation['status']>(['created', 'updated']);

function Confirm({ of, isPending, apply }: { of: readonly Operation[]; isPending: boolean; apply: () => void }) {
  const typed = useTypedName();
  const [confirmed, setConfirmed] = useState('');
  const count = of.filter(({ status }) => CHANGES.has(status)).length;
  if (count === 0) return <p>Nothing would change.</p>;
  return (
    <>
      {typed !== undefined && <TypedName name={typed} to="import them" value={confirmed} change={setConfirmed} />}
      <p className="buttons">
        <button
          type="button"
          className="primary"
          disabled={isPending || (typed !== undefined && confirmed !== typed)}
          onClick={apply}
        >
          Import {countOf(count, 'action')}
        </button>
      </p>
    </>
  );
}

function Operations({ of, isDone }: { of: readonly Operation[]; isDone: boolean }) {
  return (
    <>
      <h3 role="status">{isDone ? 'Imported' : 'What would change'}</h3>
      <Table
        label="operations"
        rows={of}
        nothing="The document has no operations."
        idOf={({ operationId }) => operationId}
        columns={[
          { title: 'Action', cell: ({ name }) => <Foreign>{name}</Foreign> },
          { title: 'Result', cell: ({ status }) => <Badge of={status} /> },
          {
            title: 'Governed',
            cell: ({ governed }) => (governed === undefined ? '–' : governed ? 'Yes' : 'No'),
          },
          {
            title: 'Note',
            cell: ({ reason, warnings = [] }) => (
              <Foreign>{reason ?? warnings.map(({ message }) => message).join(' ')}</Foreign>
            ),
          },
        ]}
      />
    </>
  );
}
