import { useParams } from '@tanstack/react-router';
import { type SubmitEvent, useMemo, useState } from 'react';
import { call, type Schema } from '../api/client.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Bar } from '../components/bar.tsx';
import { Diff } from '../components/diff.tsx';
import { Problem } from '../components/dialog.tsx';
import { FieldInput, type FieldValues, initialValues } from '../components/fields.tsx';
import { To } from '../components/link.tsx';
import { Table } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { fieldsOfSchema, inputOf } from '../components/schema-fields.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { quantityText } from '../components/text.ts';
import { Code, Fields, Foreign, Id, Json, Quantities, Time } from '../components/values.tsx';

type Preview = Schema<'ActionPreview'>;
type Block = Preview['blocks'][number];

/** What an invocation with this input would send and use up. Nothing is sent. */
export function PreviewScreen() {
  const { name: ref = '' } = useParams({ strict: false }) as { name?: string };
  const read = useRead('actions', '/api/v2/actions/{ref}', { path: { ref } });
  return (
    <Screen title={`Preview ${ref}`} kicker={<To path={`/actions/${ref}`}>{ref}</To>}>
      <p className="quiet">
        It shows exactly what would be sent, and which limits it would use. Nothing is sent; an adapter may read the
        provider.
      </p>
      <When read={read}>{({ data }) => <Form action={data} />}</When>
    </Screen>
  );
}

function Form({ action }: { action: Schema<'Action'> }) {
  const environmentId = useEnvironmentId();
  const fields = useMemo(() => fieldsOfSchema(action.inputSchema), [action.inputSchema]);
  const [values, setValues] = useState<FieldValues>(() => initialValues(fields.map(({ field }) => field)));
  const preview = useChange(async () => {
    const body = { input: inputOf(fields, values) };
    return (await call('post', '/api/v2/actions/{ref}/previews', { path: { ref: action.name }, body, environmentId }))
      .data;
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    preview.mutate(undefined);
  };
  return (
    <div className="columns even">
      <form className="stacked" onSubmit={submit}>
        {fields.map(({ field }) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            change={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        <Problem error={preview.error} />
        <p className="buttons">
          <button type="submit" className="primary" disabled={preview.isPending}>
            {preview.isPending ? 'Previewing …' : 'Preview'}
          </button>
        </p>
      </form>
      <div aria-live="polite">{preview.data !== undefined && <Shown preview={preview.data} />}</div>
    </div>
  );
}

function Shown({ preview }: { preview: Preview }) {
  const { method, url, headers, body } = preview.request;
  return (
    <>
      <Section title="What would be sent">
        {preview.impact.length > 0 && (
          <p className="lead">
            <Quantities of={preview.impact} />
          </p>
        )}
        <Code text={`${method} ${url}`} label="method and URL" />
        {body !== null && <Code text={body} label="body" />}
        <details>
          <summary>Headers</summary>
          <Json value={headers} label="headers" />
        </details>
      </Section>
      {preview.blocks.map((block, at) => (
        <BlockOf key={`${at} ${block.title}`} block={block} />
      ))}
      {preview.allowances.length > 0 && <Allowances of={preview.allowances} />}
      <Section title="Facts">
        <Fields
          rows={{
            Preview: <Id value={preview.id} />,
            'Can be used until': <Time at={preview.expiresAt} distance />,
            'Binding digest': <Id value={preview.bindingDigest} short />,
          }}
        />
      </Section>
    </>
  );
}

function BlockOf({ block: { title, fields, before, after, items, quantities } }: { block: Block }) {
  return (
    <Section title={title}>
      {fields !== undefined && (
        <Table
          label={title}
          rows={fields}
          idOf={({ label, value }) => `${label} ${value}`}
          columns={[
            { title: 'Field', cell: ({ label }) => <Foreign>{label}</Foreign> },
            { title: 'Value', cell: ({ value }) => <Foreign>{value}</Foreign> },
          ]}
        />
      )}
      {after !== undefined && <Diff before={before ?? ''} after={after} />}
      {quantities !== undefined && <Quantities of={quantities} />}
      {items !== undefined && (
        <ul className="plain">
          {items.map(({ kind, text }) => (
            <li key={`${kind} ${text}`}>
              <Foreign>{text}</Foreign>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Allowances({ of }: { of: Preview['allowances'] }) {
  return (
    <Section title="What it would use of limits">
      <Table
        label="limits"
        rows={of}
        idOf={({ limitId }) => limitId}
        columns={[
          { title: 'Limit', cell: ({ name }) => <Foreign>{name}</Foreign> },
          { title: 'This', align: 'right', cell: (one) => quantityText({ ...one, amount: one.requested }) },
          { title: 'Left now', align: 'right', cell: (one) => quantityText({ ...one, amount: one.available }) },
          {
            title: 'Used with this',
            cell: ({ name, cap, available, requested }) => (
              <Bar
                label={`${name}, used with this`}
                of={cap}
                parts={[
                  { name: 'settled', value: Math.max(0, cap - available) },
                  { name: 'reserved', value: requested },
                ]}
              />
            ),
          },
          { title: 'Enough', cell: ({ sufficient }) => (sufficient ? 'Yes' : 'No: it would be refused') },
        ]}
      />
    </Section>
  );
}
