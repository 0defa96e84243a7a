import { useNavigate } from '@tanstack/react-router';
import { call, type Schema } from '../api/client.ts';
import { FormDialog } from './dialog.tsx';
import { useEnvironmentId, useInEnvironment } from './location.ts';
import { parseJson } from './parse-json.ts';
import { useTypedName } from './protection.ts';
import { jsonText } from './text.ts';
import { Foreign } from './values.tsx';

type Written = Schema<'WrittenAction'>;

const EXAMPLE = {
  name: 'customer.note',
  description: 'Adds a note to a customer.',
  adapter: {
    type: 'http.request',
    config: { method: 'POST', url: 'https://crm.example.com/customers/{{input.customer}}/notes', body: '{{input}}' },
  },
  inputSchema: {
    type: 'object',
    properties: { customer: { type: 'string' }, text: { type: 'string' } },
    required: ['customer', 'text'],
  },
  governed: true,
};

export function NewAction() {
  const environmentId = useEnvironmentId();
  const inEnvironment = useInEnvironment();
  const navigate = useNavigate();
  return (
    <FormDialog
      open="New action"
      title="Create an action"
      submit="Create"
      tone="primary"
      fields={[
        { name: 'body', label: 'The definition, as JSON', kind: 'code', required: true, initial: jsonText(EXAMPLE) },
      ]}
      change={async ({ body = '' }, idempotencyKey) => {
        const definition = parseJson(body, 'The definition') as Schema<'CreateAction'>;
        const { data } = await call('post', '/api/v2/actions', { body: definition, environmentId, idempotencyKey });
        await navigate({ to: inEnvironment(`/actions/${data.name}`) });
        return data;
      }}
    />
  );
}

/** The members of a definition that a new version may change. */
function changeable(action: Schema<'Action'>): Record<string, unknown> {
  const { description, adapter, inputSchema, outputSchema, governed, impact, verify, approval, timeoutMs } = action;
  return { description, adapter, inputSchema, outputSchema, governed, impact, verify, approval, timeoutMs };
}

/** What is gone from the text is meant to be gone from the action, where it can be: a PATCH keeps what it does not name. */
const REMOVABLE = ['description', 'outputSchema', 'verify'] as const;

function changesOf(definition: Record<string, unknown>): Schema<'UpdateAction'> {
  return { ...Object.fromEntries(REMOVABLE.map((name) => [name, null])), ...definition };
}

export function NewVersion({ action }: { action: Schema<'Action'> }) {
  const environmentId = useEnvironmentId();
  return (
    <FormDialog
      open="New version"
      title={`A new version of ${action.name}`}
      submit="Save"
      fields={[
        {
          name: 'body',
          label: 'The definition, as JSON',
          kind: 'code',
          required: true,
          initial: jsonText(changeable(action)),
        },
        { name: 'changeNote', label: 'Why' },
      ]}
      change={({ body = '', changeNote = '' }) =>
        call('patch', '/api/v2/actions/{ref}', {
          path: { ref: action.name },
          environmentId,
          body: {
            ...changesOf(parseJson(body, 'The definition') as Record<string, unknown>),
            ...(changeNote === '' ? {} : { changeNote }),
          },
        })
      }
      result={(reply) => <Warnings of={(reply as { data: Written }).data} />}
    >
      <p>What is under way goes on with the version that it began with.</p>
    </FormDialog>
  );
}

function Warnings({ of: { currentVersion, warnings } }: { of: Written }) {
  return (
    <>
      <p>Version {currentVersion.number} is in use.</p>
      {warnings.length > 0 && (
        <ul className="plain">
          {warnings.map(({ path, code, message }) => (
            <li key={`${path} ${code}`}>
              <code>{path}</code>: <Foreign>{message}</Foreign>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function ArchiveAction({ name }: { name: string }) {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  return (
    <FormDialog
      open="Archive"
      title={`Archive ${name}`}
      tone="danger"
      typed={typed ?? name}
      change={() => call('delete', '/api/v2/actions/{ref}', { path: { ref: name }, environmentId })}
    >
      <p>Nobody can invoke it any more. Its receipts stay. What is under way goes on.</p>
    </FormDialog>
  );
}
