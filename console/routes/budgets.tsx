import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Bar } from '../components/bar.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { microcentsText } from '../components/text.ts';
import { Id, None, Time } from '../components/values.tsx';

type Budget = Schema<'Budget'>;

const COLUMNS: readonly Column<Budget>[] = [
  { title: 'Key', cell: ({ apiKeyId }) => <Id value={apiKeyId} /> },
  {
    title: 'Used this month',
    cell: ({ apiKeyId, used, reserved, caps }) =>
      caps.total === undefined ? (
        <None />
      ) : (
        <>
          <Bar
            label={`${apiKeyId}: used`}
            of={caps.total}
            parts={[
              { name: 'settled', value: used.total },
              { name: 'reserved', value: reserved.total },
            ]}
          />
          <span className="quiet">{microcentsText(used.total + reserved.total)}</span>
        </>
      ),
  },
  {
    title: 'Cap',
    align: 'right',
    cell: ({ caps }) => (caps.total === undefined ? <None /> : microcentsText(caps.total)),
  },
  {
    title: 'State',
    cell: ({ reconciliationRequired }) =>
      reconciliationRequired ? <Badge of="paused" words="Paused: set it again" /> : <Badge of="active" />,
  },
  { title: 'Begins again', on: 'wide', cell: ({ resetsAt }) => <Time at={resetsAt} /> },
  { title: 'Do', cell: (budget) => <Acts of={budget} /> },
];

const MICROCENTS_OF_A_DOLLAR = 100_000_000;

function Acts({ of: { apiKeyId, caps } }: { of: Budget }) {
  const environmentId = useEnvironmentId();
  const at = { path: { apiKeyId }, environmentId };
  return (
    <span className="actions">
      <FormDialog
        open="Change"
        title="Change the cap of this key"
        submit="Save"
        fields={[
          {
            name: 'total',
            label: 'US dollars a month',
            kind: 'number',
            required: true,
            ...(caps.total === undefined ? {} : { initial: String(caps.total / MICROCENTS_OF_A_DOLLAR) }),
          },
        ]}
        change={({ total = '' }, idempotencyKey) =>
          call('put', '/api/v2/budgets/{apiKeyId}', {
            ...at,
            idempotencyKey,
            body: { caps: { ...caps, total: Math.round(Number(total) * MICROCENTS_OF_A_DOLLAR) } },
          })
        }
      />
      <FormDialog
        open="Remove"
        title="Remove the budget of this key"
        tone="danger"
        change={(_, idempotencyKey) => call('delete', '/api/v2/budgets/{apiKeyId}', { ...at, idempotencyKey })}
      >
        <p>The key may use as much as the plan admits.</p>
      </FormDialog>
    </span>
  );
}

export function BudgetsScreen() {
  const environmentId = useEnvironmentId();
  const read = useRead('budgets', '/api/v2/budgets', { query: useListQuery([]), keepsPrevious: true });
  const create = (
    <FormDialog
      open="New budget"
      title="A budget for a key"
      submit="Create"
      tone="primary"
      fields={[
        { name: 'apiKeyId', label: 'Id of the key', required: true, hint: 'key_…, from Settings, Keys' },
        { name: 'total', label: 'US dollars a month', kind: 'number', required: true },
      ]}
      change={({ apiKeyId = '', total = '' }, idempotencyKey) =>
        call('put', '/api/v2/budgets/{apiKeyId}', {
          path: { apiKeyId },
          environmentId,
          idempotencyKey,
          body: { caps: { total: Math.round(Number(total) * MICROCENTS_OF_A_DOLLAR) } },
        })
      }
    />
  );
  return (
    <Screen title="Budgets" actions={create}>
      <List
        read={read}
        noun={['budget', 'budgets']}
        columns={COLUMNS}
        idOf={({ apiKeyId }) => apiKeyId}
        nothingYet={
          <NothingYet
            what="budgets"
            hint="A budget caps what one key may use of this service in a month. Create one above."
          />
        }
      />
    </Screen>
  );
}
