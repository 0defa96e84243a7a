import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Bar } from '../components/bar.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { useTypedName } from '../components/protection.ts';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { percentText, quantityText, wordsOf } from '../components/text.ts';
import { Foreign, None, Time } from '../components/values.tsx';

type Limit = Schema<'ImpactLimit'>;

const FILTERS = [
  { name: 'dimension', label: 'Dimension' },
  { name: 'includeArchived', label: 'Archived too', options: ['true'] },
] as const;

const amount = ({ dimension, currency }: Limit, value: number): string =>
  quantityText({ dimension, currency, amount: value });

const COLUMNS: readonly Column<Limit>[] = [
  {
    title: 'Limit',
    cell: ({ name, archivedAt }) => (
      <>
        <Foreign>{name}</Foreign> {archivedAt !== null && <Badge of="archived" />}
      </>
    ),
  },
  { title: 'Used', cell: (limit) => <Used of={limit} /> },
  { title: 'Cap', align: 'right', cell: (limit) => <span className="amount">{amount(limit, limit.cap)}</span> },
  { title: 'Period', cell: ({ period }) => wordsOf(period) },
  {
    title: 'Begins again',
    on: 'wide',
    cell: ({ resetsAt }) => (resetsAt === null ? <None /> : <Time at={resetsAt} distance />),
  },
  { title: 'Applies to', on: 'wide', cell: ({ scope }) => <ScopeWords of={scope} /> },
  { title: 'Do', cell: (limit) => (limit.archivedAt === null ? <Acts of={limit} /> : <None />) },
];

function Used({ of: limit }: { of: Limit }) {
  const { reserved, settled, exposures, cap, period, name } = limit;
  if (period === 'per_effect') return <span className="quiet">for each effect</span>;
  const unknown = exposures.unknown;
  return (
    <>
      <Bar
        label={`${name}: used`}
        of={cap}
        parts={[
          { name: 'settled', value: settled },
          { name: 'reserved', value: Math.max(0, reserved - unknown) },
          { name: 'unknown', value: unknown },
        ]}
      />
      <span className="quiet">
        {amount(limit, settled + reserved)}, {percentText(cap === 0 ? 0 : (settled + reserved) / cap)}
        {unknown > 0 && `; ${amount(limit, unknown)} of it unknown`}
      </span>
    </>
  );
}

function ScopeWords({ of: { actions, adapters, apiKeys, agentIds, target } }: { of: Limit['scope'] }) {
  const parts = [
    actions !== undefined && `actions ${actions.join(', ')}`,
    adapters !== undefined && `adapters ${adapters.join(', ')}`,
    apiKeys !== undefined && `keys ${apiKeys.join(', ')}`,
    agentIds !== undefined && `agents ${agentIds.join(', ')}`,
    target !== undefined && `${target.path} = ${target.equals}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'everything' : <Foreign>{parts.join('; ')}</Foreign>;
}

function Acts({ of: limit }: { of: Limit }) {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  const at = { path: { id: limit.id }, environmentId };
  return (
    <span className="actions">
      <FormDialog
        open="Change"
        title={`Change ${limit.name}`}
        submit="Save"
        typed={typed}
        fields={[
          { name: 'name', label: 'Name', required: true, initial: limit.name },
          {
            name: 'cap',
            label: limit.currency === null ? 'Cap' : 'Cap, in minor units',
            kind: 'number',
            required: true,
            initial: String(limit.cap),
            ...(limit.currency === null ? {} : { hint: `${limit.cap} is ${amount(limit, limit.cap)}.` }),
          },
        ]}
        change={({ name = '', cap = '' }, idempotencyKey) =>
          call('patch', '/api/v2/impact-limits/{id}', { ...at, idempotencyKey, body: { name, cap: Number(cap) } })
        }
      >
        <p>It holds from the next invocation on. What is reserved stays reserved.</p>
      </FormDialog>
      <FormDialog
        open="Archive"
        title={`Archive ${limit.name}`}
        tone="danger"
        typed={typed}
        change={(_, idempotencyKey) => call('delete', '/api/v2/impact-limits/{id}', { ...at, idempotencyKey })}
      >
        <p>It limits nothing any more.</p>
      </FormDialog>
    </span>
  );
}

const PERIODS = ['per_effect', 'hour', 'day', 'week', 'month', 'lifetime'] as const;

function NewLimit() {
  const environmentId = useEnvironmentId();
  return (
    <FormDialog
      open="New limit"
      title="A new impact limit"
      submit="Create"
      tone="primary"
      fields={[
        { name: 'name', label: 'Name', required: true },
        {
          name: 'dimension',
          label: 'Dimension',
          required: true,
          initial: 'money',
          hint: 'As the actions declare it: money, emails, …',
        },
        { name: 'currency', label: 'Currency', hint: 'For money: usd, eur, …' },
        {
          name: 'cap',
          label: 'Cap',
          kind: 'number',
          required: true,
          hint: 'For money in minor units: 100000 is 1,000.00 USD.',
        },
        { name: 'period', label: 'Period', kind: 'choice', options: PERIODS, required: true, initial: 'day' },
        { name: 'actions', label: 'Only these actions', hint: 'With commas; refund.* matches all that begin so.' },
      ]}
      change={({ name = '', dimension = '', currency = '', cap = '', period, actions = '' }, idempotencyKey) =>
        call('post', '/api/v2/impact-limits', {
          environmentId,
          idempotencyKey,
          body: {
            name,
            dimension,
            cap: Number(cap),
            period: period as (typeof PERIODS)[number],
            ...(currency === '' ? {} : { currency }),
            ...(actions === '' ? {} : { scope: { actions: actions.split(',').map((one) => one.trim()) } }),
          },
        })
      }
    />
  );
}

export function LimitsScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('impact-limits', '/api/v2/impact-limits', { query, keepsPrevious: true });
  return (
    <Screen title="Impact limits" actions={<NewLimit />}>
      <List
        read={read}
        noun={['limit', 'limits']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="impact limits"
            hint="A limit caps what actions may do to the world: so much money a day, so many e-mails an hour. Create one above."
          />
        }
      />
    </Screen>
  );
}
