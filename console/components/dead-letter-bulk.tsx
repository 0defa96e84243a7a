import { call, type Schema } from '../api/client.ts';
import { FormDialog } from './dialog.tsx';
import { CHECKED } from './fields.tsx';
import { useEnvironmentId } from './location.ts';
import { useTypedName } from './protection.ts';
import { capital, countOf, countText, wordsOf } from './text.ts';
import { Foreign } from './values.tsx';

type Filter = Readonly<Record<string, string>>;

interface BulkProps {
  filter: Filter;
  total: number;
  first: readonly Schema<'ListedDeadLetter'>[];
  isFirstPage: boolean;
}

const SHOWN_MAX = 10;

/** Acts on all that the filters match: the person sees filter, exact count and the first ten. The service refuses another count. */
export function BulkActs(props: BulkProps) {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  const { filter, total } = props;
  const body = {
    ...filter,
    ...(filter['responseStatus'] === undefined ? {} : { responseStatus: Number(filter['responseStatus']) }),
    expectedCount: total,
  };
  return (
    <div className="actions">
      <FormDialog
        open={`Retry ${countText(total)} …`}
        title={`Retry ${countOf(total, 'dead letter')}`}
        submit={`Retry ${countText(total)}`}
        tone="primary"
        typed={typed}
        change={(_, idempotencyKey) => call('post', '/api/v2/dlq/retry-all', { body, environmentId, idempotencyKey })}
      >
        <p>Each is published again as a new message. Its destination may get what it has already seen.</p>
        <Chosen {...props} />
      </FormDialog>
      <FormDialog
        open={`Delete ${countText(total)} …`}
        title={`Delete ${countOf(total, 'dead letter')}`}
        submit={`Delete ${countText(total)} for good`}
        tone="danger"
        typed={typed}
        fields={[{ name: 'sure', label: 'They are not needed any more', kind: 'check' }]}
        change={async ({ sure }) => {
          if (sure !== CHECKED) throw new Error('Tick that they are not needed any more.');
          const confirmed = typed === undefined ? {} : { confirmProtected: 'true' as const };
          return call('delete', '/api/v2/dlq', { query: { ...body, ...confirmed }, environmentId });
        }}
      >
        <p>They and their content are gone for good.</p>
        <Chosen {...props} />
      </FormDialog>
    </div>
  );
}

function Chosen({ filter, total, first, isFirstPage }: BulkProps) {
  const set = Object.entries(filter);
  const shown = first.slice(0, SHOWN_MAX);
  return (
    <>
      <p>
        <strong>Filter:</strong>{' '}
        {set.length === 0
          ? 'none, so all of them'
          : set.map(([name, value]) => `${capital(wordsOf(name))} ${value}`).join(', ')}
      </p>
      <p>
        <strong>
          {isFirstPage
            ? `The first ${shown.length} of ${countText(total)}:`
            : `${shown.length} of ${countText(total)}:`}
        </strong>
      </p>
      <ul className="plain">
        {shown.map(({ messageId, method, url }) => (
          <li key={messageId}>
            {method} <Foreign>{url}</Foreign>
          </li>
        ))}
      </ul>
    </>
  );
}
