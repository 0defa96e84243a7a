import type { ReactNode } from 'react';
import { useRead } from '../api/queries.ts';
import { csvOf, download } from './download.ts';
import { To } from './link.tsx';
import { type Column, Table } from './list.tsx';
import { Section, When } from './screen.tsx';
import { countText, durationText, percentText, wordsOf } from './text.ts';
import { Foreign, None, Time } from './values.tsx';

const SHOWN_MAX = 10;

/** What has names rather than times: agents, destinations, schedules, errors. */
export function AnalyticsTables({ from }: { from: string }) {
  return (
    <>
      <Agents from={from} />
      <Destinations from={from} />
      <Schedules from={from} />
      <Errors from={from} />
    </>
  );
}

interface NamedProps<Row> {
  title: string;
  file: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  csv: { header: readonly string[]; line: (row: Row) => (string | number | null)[] };
}

function Named<Row>({ title, file, rows, columns, idOf, csv }: NamedProps<Row>): ReactNode {
  if (rows.length === 0) return <p className="quiet">Nothing in this time.</p>;
  return (
    <>
      <p className="count">
        <button
          type="button"
          className="link"
          onClick={() => download(`${file}.csv`, csvOf(csv.header, rows.map(csv.line)), 'text/csv')}
        >
          CSV
        </button>
      </p>
      <Table label={title} rows={rows} columns={columns} idOf={idOf} />
    </>
  );
}

function Agents({ from }: { from: string }) {
  const read = useRead('analytics', '/api/v2/analytics/agents', {
    query: { from, limit: SHOWN_MAX, sort: 'invocations' },
  });
  return (
    <Section title="Agents">
      <When read={read}>
        {({ data }) => (
          <Named
            title="agents"
            file="agents"
            rows={data}
            idOf={({ agentId }) => agentId ?? ''}
            csv={{
              header: ['agent', 'runs', 'failed', 'invocations', 'refused', 'cost_usd'],
              line: ({ agentId, runs, invocations, refused, costUsd }) => [
                agentId,
                runs.started,
                runs.failed,
                invocations,
                refused,
                costUsd,
              ],
            }}
            columns={[
              { title: 'Agent', cell: ({ agentId }) => <Foreign>{agentId ?? 'none named'}</Foreign> },
              { title: 'Runs', align: 'right', cell: ({ runs }) => countText(runs.started) },
              { title: 'Failed', align: 'right', cell: ({ runs }) => countText(runs.failed) },
              { title: 'Invocations', align: 'right', cell: ({ invocations }) => countText(invocations) },
              { title: 'Refused', align: 'right', cell: ({ refused }) => countText(refused) },
              { title: 'Cost', align: 'right', on: 'wide', cell: ({ costUsd }) => `${costUsd.toFixed(2)} USD` },
              { title: 'Last seen', on: 'wide', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
            ]}
          />
        )}
      </When>
    </Section>
  );
}

function Destinations({ from }: { from: string }) {
  const read = useRead('analytics', '/api/v2/analytics/top-urls', {
    query: { from, limit: SHOWN_MAX, sort: 'failed' },
  });
  return (
    <Section title="Destinations that failed most">
      <When read={read}>
        {({ data }) => (
          <Named
            title="destinations"
            file="destinations"
            rows={data}
            idOf={({ url }) => url}
            csv={{
              header: ['url', 'messages', 'delivered', 'failed', 'p95_ms'],
              line: ({ url, messages, delivered, failed, latencyMs }) => [
                url,
                messages,
                delivered,
                failed,
                latencyMs?.p95 ?? null,
              ],
            }}
            columns={[
              { title: 'Destination', cell: ({ url }) => <Foreign>{url}</Foreign> },
              { title: 'Messages', align: 'right', cell: ({ messages }) => countText(messages) },
              { title: 'Failed', align: 'right', cell: ({ failed }) => countText(failed) },
              {
                title: 'Delivered',
                align: 'right',
                cell: ({ deliveryRate }) => (deliveryRate === null ? <None /> : percentText(deliveryRate)),
              },
              {
                title: '95 of 100 within',
                align: 'right',
                on: 'wide',
                cell: ({ latencyMs }) => (latencyMs === null ? <None /> : durationText(latencyMs.p95)),
              },
            ]}
          />
        )}
      </When>
    </Section>
  );
}

function Schedules({ from }: { from: string }) {
  const read = useRead('analytics', '/api/v2/analytics/schedules', { query: { from, limit: SHOWN_MAX } });
  return (
    <Section title="Schedules">
      <When read={read}>
        {({ data }) => (
          <Named
            title="schedules"
            file="schedules"
            rows={data}
            idOf={({ scheduleId }) => scheduleId}
            csv={{
              header: ['schedule', 'cron', 'published', 'skipped', 'failed', 'missed'],
              line: ({ scheduleId, cron, firings }) => [
                scheduleId,
                cron,
                firings.published,
                firings.skipped,
                firings.failed,
                firings.missed,
              ],
            }}
            columns={[
              {
                title: 'Schedule',
                cell: ({ scheduleId, name, cron }) => (
                  <To path={`/schedules/${scheduleId}`}>
                    <Foreign>{name ?? cron}</Foreign>
                  </To>
                ),
              },
              { title: 'Published', align: 'right', cell: ({ firings }) => countText(firings.published) },
              { title: 'Failed', align: 'right', cell: ({ firings }) => countText(firings.failed) },
              { title: 'Missed', align: 'right', cell: ({ firings }) => countText(firings.missed) },
              {
                title: '95 of 100 late by',
                align: 'right',
                on: 'wide',
                cell: ({ latenessMs }) => (latenessMs === null ? <None /> : durationText(latenessMs.p95)),
              },
            ]}
          />
        )}
      </When>
    </Section>
  );
}

function Errors({ from }: { from: string }) {
  const read = useRead('analytics', '/api/v2/analytics/errors', { query: { from, limit: SHOWN_MAX } });
  return (
    <Section title="Errors">
      <When read={read}>
        {({ data }) => (
          <Named
            title="errors"
            file="errors"
            rows={data}
            idOf={({ fingerprint }) => fingerprint}
            csv={{
              header: ['area', 'code', 'message', 'count'],
              line: ({ area, code, sampleMessage, count }) => [area, code, sampleMessage, count],
            }}
            columns={[
              { title: 'Message', cell: ({ sampleMessage }) => <Foreign>{sampleMessage}</Foreign> },
              { title: 'Where', cell: ({ area, code }) => `${wordsOf(area)}, ${wordsOf(code)}` },
              { title: 'Times', align: 'right', cell: ({ count }) => countText(count) },
              { title: 'Last', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
            ]}
          />
        )}
      </When>
    </Section>
  );
}
