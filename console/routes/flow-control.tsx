import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { countText, durationText } from '../components/text.ts';
import { Foreign, None, Time } from '../components/values.tsx';

type Key = Schema<'FlowControlKey'>;

const FILTERS = [{ name: 'key', label: 'Key' }] as const;

const COLUMNS: readonly Column<Key>[] = [
  { title: 'Key', cell: ({ key }) => <Foreign>{key}</Foreign> },
  { title: 'State', cell: (key) => <State of={key} /> },
  { title: 'Waiting', align: 'right', cell: ({ waiting }) => countText(waiting) },
  { title: 'In flight', align: 'right', cell: ({ inFlight }) => countText(inFlight) },
  { title: 'Limits', cell: (key) => <Limits of={key} /> },
  { title: 'Do', cell: (key) => <Acts of={key} /> },
];

function State({ of: { paused, heldUntil } }: { of: Key }) {
  if (paused) return <Badge of="paused" />;
  if (heldUntil === null) return <Badge of="active" />;
  return (
    <>
      <Badge of="waiting" words="Held back" /> until <Time at={heldUntil} />
    </>
  );
}

function Limits({ of: { rate, periodSeconds, parallelism, pinned } }: { of: Key }) {
  const parts = [
    rate !== null &&
      `${countText(rate)} each ${durationText((periodSeconds ?? 1) * 1_000)}${pinned.rate ? ' (pinned)' : ''}`,
    parallelism !== null && `${countText(parallelism)} at once${pinned.parallelism ? ' (pinned)' : ''}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? <None /> : parts.join(', ');
}

function Acts({ of: key }: { of: Key }) {
  const environmentId = useEnvironmentId();
  const at = { path: { flowControlKeyId: key.id }, environmentId };
  const isPinned = key.pinned.rate || key.pinned.parallelism;
  return (
    <span className="actions">
      {key.paused ? (
        <FormDialog
          open="Resume"
          title={`Resume ${key.key}`}
          tone="primary"
          change={(_, idempotencyKey) =>
            call('post', '/api/v2/flow-control/{flowControlKeyId}/resume', { ...at, idempotencyKey })
          }
        >
          <p>What waits is sent again, within its limits.</p>
        </FormDialog>
      ) : (
        <FormDialog
          open="Pause"
          title={`Pause ${key.key}`}
          change={(_, idempotencyKey) =>
            call('post', '/api/v2/flow-control/{flowControlKeyId}/pause', { ...at, idempotencyKey })
          }
        >
          <p>Its messages wait until somebody resumes it. What is in flight arrives.</p>
        </FormDialog>
      )}
      <Pin of={key} />
      {isPinned && (
        <FormDialog
          open="Unpin"
          title={`Unpin the limits of ${key.key}`}
          change={(_, idempotencyKey) =>
            call('post', '/api/v2/flow-control/{flowControlKeyId}/unpin', {
              ...at,
              idempotencyKey,
              body: { rate: true, parallelism: true },
            })
          }
        >
          <p>The next message sets its limits again.</p>
        </FormDialog>
      )}
    </span>
  );
}

function Pin({ of: key }: { of: Key }) {
  const environmentId = useEnvironmentId();
  const at = { path: { flowControlKeyId: key.id }, environmentId };
  return (
    <FormDialog
      open="Pin"
      title={`Pin the limits of ${key.key}`}
      fields={[
        { name: 'rate', label: 'Messages in a period', kind: 'number', initial: String(key.rate ?? '') },
        {
          name: 'periodSeconds',
          label: 'Seconds of a period',
          kind: 'number',
          initial: String(key.periodSeconds ?? ''),
        },
        { name: 'parallelism', label: 'At once', kind: 'number', initial: String(key.parallelism ?? '') },
      ]}
      change={(values, idempotencyKey) =>
        call('post', '/api/v2/flow-control/{flowControlKeyId}/pin', {
          ...at,
          idempotencyKey,
          body: Object.fromEntries(
            Object.entries(values).flatMap(([name, value]) => (value === '' ? [] : [[name, Number(value)]])),
          ),
        })
      }
    >
      <p>Pinned limits hold, whatever later messages ask for.</p>
    </FormDialog>
  );
}

export function FlowControlScreen() {
  const query = useListQuery(['key']);
  const read = useRead('flow-control', '/api/v2/flow-control', { query, keepsPrevious: true });
  return (
    <Screen title="Flow control">
      <List
        read={read}
        noun={['key', 'keys']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="flow control keys"
            hint="A key paces the messages that name it. It comes with the first of them:"
            command={`curl -sS -X POST $BASE/api/v2/messages/publish -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"url":"https://example.com/hook","flowControl":{"key":"crm","rate":10}}'`}
          />
        }
      />
    </Screen>
  );
}
