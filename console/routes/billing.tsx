import { call, type Schema } from '../api/client.ts';
import { type Environment, useReadIn } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { Bar } from '../components/bar.tsx';
import { Chart } from '../components/chart.tsx';
import { useClock } from '../components/clock.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Table } from '../components/list.tsx';
import { Screen, Section, When } from '../components/screen.tsx';
import { bytesText, capital, countText, moneyText, wordsOf } from '../components/text.ts';
import { Fields, None } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

type Quota = Schema<'Quota'>;

const DAYS_SHOWN = 30;
const DAY_MS = 86_400_000;

export function BillingScreen() {
  return <InWorkspace>{(environment) => <Billing environment={environment} />}</InWorkspace>;
}

function Billing({ environment: { id, workspaceName } }: { environment: Environment }) {
  return (
    <Screen title="Billing" kicker={workspaceName}>
      <p className="quiet">Months and days are UTC here, whatever the clock at the top says.</p>
      <div className="columns">
        <div>
          <Quotas environmentId={id} />
          <Usage environmentId={id} />
          <Invoices environmentId={id} />
        </div>
        <aside>
          <Plan environmentId={id} />
          <Estimate environmentId={id} />
          <Target environmentId={id} />
        </aside>
      </div>
    </Screen>
  );
}

/** Billing says its dates in UTC. */
function utcDay(at: string): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
}

function Plan({ environmentId }: { environmentId: string }) {
  const read = useReadIn(environmentId, 'billing', '/api/v2/billing/plan');
  return (
    <Section title="Plan">
      <When read={read}>
        {({ data: { name, status, price, since, access } }) => (
          <Fields
            rows={{
              Plan: (
                <>
                  <strong>{name}</strong> <Badge of={status} />
                </>
              ),
              Price: price === null ? <None /> : `${moneyText(price.amount, price.currency)} a month`,
              Since: utcDay(since),
              'Usage begins again': utcDay(access.usageResetsAt),
            }}
          />
        )}
      </When>
    </Section>
  );
}

function Estimate({ environmentId }: { environmentId: string }) {
  const read = useReadIn(environmentId, 'billing', '/api/v2/billing/cost-estimate');
  return (
    <Section title="This month, estimated">
      <When read={read}>
        {({ data: { monthToDate, projected, currency, reason } }) => (
          <Fields
            rows={{
              'So far': moneyText(monthToDate.subtotal, currency),
              'At its end': projected !== null && moneyText(projected.subtotal, currency),
              Note: reason !== null && capital(wordsOf(reason)),
            }}
          />
        )}
      </When>
    </Section>
  );
}

const HUNDRED = 100;

function Target({ environmentId }: { environmentId: string }) {
  const read = useReadIn(environmentId, 'billing', '/api/v2/billing/budget');
  return (
    <Section title="Alert target">
      <When read={read}>
        {({ data: { target, thresholds, spend, percentUsed } }) => (
          <>
            <Fields
              rows={{
                Target: target === null ? 'None is set' : moneyText(target.amount, target.currency),
                Spent: moneyText(spend.amount, spend.currency),
                Used: percentUsed !== null && `${percentUsed} %`,
              }}
            />
            <p className="quiet">It alerts and stops nothing.</p>
            <FormDialog
              key={target?.amount ?? 'none'}
              open="Set the target"
              title="Alert target of a month"
              submit="Save"
              fields={[
                {
                  name: 'amount',
                  label: 'US dollars a month',
                  kind: 'number',
                  initial: target === null ? '' : String(target.amount / HUNDRED),
                  hint: 'Left empty, there is none.',
                },
              ]}
              change={({ amount = '' }) =>
                call('put', '/api/v2/billing/budget', {
                  environmentId,
                  body: {
                    target: amount === '' ? null : { amount: Math.round(Number(amount) * HUNDRED), currency: 'usd' },
                    // A PUT replaces both.
                    thresholds,
                  },
                })
              }
            />
          </>
        )}
      </When>
    </Section>
  );
}

const inUnits = ({ unit }: Quota, value: number): string => (unit === 'bytes' ? bytesText(value) : countText(value));

function Quotas({ environmentId }: { environmentId: string }) {
  const read = useReadIn(environmentId, 'billing', '/api/v2/billing/quota');
  return (
    <Section title="What the plan admits">
      <When read={read}>
        {({ data: { quotas } }) => (
          <Table
            label="quotas"
            rows={quotas}
            idOf={({ name }) => name}
            columns={[
              {
                title: 'Quota',
                cell: ({ name }) => capital(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
              },
              {
                title: 'Used',
                cell: (quota) =>
                  typeof quota.limit === 'number' ? (
                    <>
                      <Bar
                        label={`${quota.name}: used`}
                        of={quota.limit}
                        parts={[{ name: 'settled', value: quota.used }]}
                      />
                      <span className="quiet">{inUnits(quota, quota.used)}</span>
                    </>
                  ) : (
                    inUnits(quota, quota.used)
                  ),
              },
              {
                title: 'Of',
                align: 'right',
                cell: (quota) => (typeof quota.limit === 'number' ? inUnits(quota, quota.limit) : 'no end'),
              },
              {
                title: 'State',
                cell: ({ status }) =>
                  status === 'ok' ? (
                    <None />
                  ) : (
                    <Badge of={status === 'exceeded' ? 'error' : 'paused'} words={capital(status)} />
                  ),
              },
            ]}
          />
        )}
      </When>
    </Section>
  );
}

function Usage({ environmentId }: { environmentId: string }) {
  const day = Math.floor(useClock().now / DAY_MS);
  const from = new Date((day - DAYS_SHOWN) * DAY_MS).toISOString().slice(0, 10);
  const read = useReadIn(environmentId, 'billing', '/api/v2/billing/usage/history', { query: { from } });
  return (
    <Section title="Use by day">
      <When read={read}>
        {({ data: { days } }) => (
          <Chart
            title="Executions and messages"
            file="usage"
            starts={days.map(({ date }) => `${date}T00:00:00Z`)}
            series={[
              { label: 'Executions', points: days.map(({ executions }) => executions) },
              { label: 'Messages', points: days.map(({ messages }) => messages) },
            ]}
          />
        )}
      </When>
    </Section>
  );
}

function Invoices({ environmentId }: { environmentId: string }) {
  const read = useReadIn(environmentId, 'billing', '/api/v2/billing/invoices');
  return (
    <Section title="Invoices">
      <When read={read}>
        {({ data }) => (
          <Table
            nothing="There is none yet."
            label="invoices"
            rows={data}
            idOf={({ id }) => id}
            columns={[
              { title: 'Month', cell: ({ period }) => utcDay(period.start) },
              { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
              { title: 'Total', align: 'right', cell: ({ total, currency }) => moneyText(total, currency) },
              { title: 'Due', align: 'right', cell: ({ amountDue, currency }) => moneyText(amountDue, currency) },
              {
                title: 'File',
                cell: ({ hostedUrl }) => (hostedUrl === null ? <None /> : <a href={hostedUrl}>Open</a>),
              },
            ]}
          />
        )}
      </When>
    </Section>
  );
}
