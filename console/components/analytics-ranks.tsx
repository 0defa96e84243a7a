import { useRead } from '../api/queries.ts';
import { To } from './link.tsx';
import { Ranked } from './ranked.tsx';
import { When } from './screen.tsx';
import { countText, durationText, percentText, wordsOf } from './text.ts';
import { Foreign, None, Time } from './values.tsx';

/** What analytics counts by name: agents, destinations, schedules, errors. */

const SHOWN_MAX = 10;

interface Since {
  from: string;
}

export function Agents({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/agents', {
    query: { from, limit: SHOWN_MAX, sort: 'invocations' },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data }) => (
        <Ranked
          title="Agents, by invocations"
          file="agents"
          rows={data}
          idOf={({ agentId }) => agentId ?? ''}
          label={({ agentId }) => <Foreign>{agentId ?? 'none named'}</Foreign>}
          value={({ invocations }) => invocations}
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
  );
}

export function Destinations({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/top-urls', {
    query: { from, limit: SHOWN_MAX, sort: 'failed' },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data }) => (
        <Ranked
          title="Destinations, by messages that failed"
          file="destinations"
          rows={data}
          idOf={({ url }) => url}
          label={({ url }) => <Foreign>{url}</Foreign>}
          value={({ failed }) => failed}
          words={({ failed, messages }) => `${countText(failed)} of ${countText(messages)}`}
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
  );
}

export function Schedules({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/schedules', {
    query: { from, limit: SHOWN_MAX },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data }) => (
        <Ranked
          title="Schedules, by firings"
          file="schedules"
          rows={data}
          idOf={({ scheduleId }) => scheduleId}
          label={({ scheduleId, name, cron }) => (
            <To path={`/schedules/${scheduleId}`}>
              <Foreign>{name ?? cron}</Foreign>
            </To>
          )}
          value={({ firings }) => firings.published + firings.skipped + firings.failed + firings.missed}
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
            { title: 'Schedule', cell: ({ name, cron }) => <Foreign>{name ?? cron}</Foreign> },
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
  );
}

export function Errors({ from }: Since) {
  const read = useRead('analytics', '/api/v2/analytics/errors', {
    query: { from, limit: SHOWN_MAX },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data }) => (
        <Ranked
          title="Errors, by how often they came"
          file="errors"
          rows={data}
          idOf={({ fingerprint }) => fingerprint}
          label={({ sampleMessage }) => <Foreign>{sampleMessage}</Foreign>}
          value={({ count }) => count}
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
  );
}
