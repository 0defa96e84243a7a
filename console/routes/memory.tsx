import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { type Column, List, Table, useListQuery } from '../components/list.tsx';
import { useEnvironmentId, useSearchText } from '../components/location.ts';
import { useTypedName } from '../components/protection.ts';
import { Screen, Section, When } from '../components/screen.tsx';
import { NothingMatches, NothingYet } from '../components/states.tsx';
import { capital } from '../components/text.ts';
import { Foreign, Id, Time } from '../components/values.tsx';

type Memory = Schema<'Memory'>;
type Found = Schema<'FoundMemory'>;

const FILTERS = [
  { name: 'userId', label: 'User' },
  { name: 'agentId', label: 'Agent' },
  { name: 'kind', label: 'Kind', options: ['fact', 'episode'] },
  { name: 'includeSuperseded', label: 'Superseded too', options: ['true'] },
] as const;

const COLUMNS: readonly Column<Memory>[] = [
  { title: 'Memory', cell: ({ content }) => <Foreign>{content}</Foreign> },
  { title: 'Kind', cell: ({ kind }) => capital(kind) },
  { title: 'User', on: 'wide', cell: ({ userId }) => <Foreign>{userId}</Foreign> },
  { title: 'True since', cell: ({ validFrom }) => <Time at={validFrom} /> },
  { title: 'Until', on: 'wide', cell: ({ validTo }) => <Time at={validTo} /> },
  { title: 'Id', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
  { title: 'Do', cell: ({ id }) => <Forget id={id} /> },
];

function Forget({ id }: { id: string }) {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  return (
    <FormDialog
      open="Forget"
      title="Forget this memory"
      submit="Forget for good"
      tone="danger"
      typed={typed}
      change={(_, idempotencyKey) =>
        call('delete', '/api/v2/memory/{memoryId}', { path: { memoryId: id }, environmentId, idempotencyKey })
      }
    >
      <p>It is gone for good, with what led to it.</p>
    </FormDialog>
  );
}

export function MemoryScreen() {
  const { search } = useSearchText();
  const asked = search['q'] ?? '';
  return (
    <Screen title="Memory">
      <Ask key={asked} asked={asked} />
      {asked === '' ? <All /> : <Answers asked={asked} />}
    </Screen>
  );
}

function Ask({ asked }: { asked: string }) {
  const { change } = useSearchText();
  const [typed, setTyped] = useState(asked);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    change({ q: typed, page: undefined });
  };
  return (
    <search>
      <form className="ask" onSubmit={submit}>
        <input
          aria-label="Search the memories as an agent would"
          placeholder="Search as an agent would"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <button type="submit">Search</button>
        {asked !== '' && (
          <button type="button" onClick={() => change({ q: undefined })}>
            Show all
          </button>
        )}
      </form>
    </search>
  );
}

function Answers({ asked }: { asked: string }) {
  const environmentId = useEnvironmentId();
  const { change } = useSearchText();
  const read = useQuery({
    queryKey: ['memory', environmentId ?? null, 'search', asked],
    queryFn: () => call('post', '/api/v2/memory/search', { body: { query: asked }, environmentId }),
  });
  return (
    <Section title="Found, best first">
      <When read={read}>
        {({ data }) =>
          data.length === 0 ? (
            <NothingMatches clear={() => change({ q: undefined })} />
          ) : (
            <Table
              label="found memories"
              rows={data}
              idOf={({ memory }) => memory.id}
              columns={[
                { title: 'Memory', cell: ({ memory }) => <Foreign>{memory.content}</Foreign> },
                { title: 'Score', align: 'right', cell: ({ score }) => score.toFixed(3) },
                { title: 'Why', cell: (found) => <Why of={found} /> },
                { title: 'Id', on: 'wide', cell: ({ memory }) => <Id value={memory.id} short /> },
              ]}
            />
          )
        }
      </When>
    </Section>
  );
}

function Why({ of: { why } }: { of: Found }) {
  const parts = [
    why.vector !== null && `meaning: place ${why.vector.rank}`,
    why.text !== null && `words: place ${why.text.rank}`,
  ].filter((part) => part !== false);
  return parts.join(', ');
}

function All() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('memory', '/api/v2/memory', { query, keepsPrevious: true });
  return (
    <List
      read={read}
      noun={['memory', 'memories']}
      columns={COLUMNS}
      idOf={({ id }) => id}
      filters={FILTERS}
      nothingYet={
        <NothingYet
          what="memories"
          hint="Agents store what they are to remember:"
          command={`curl -sS -X POST $BASE/api/v2/memory -H "Authorization: Bearer $PUBLISHER" \\
  -H 'Content-Type: application/json' -d '{"content":"Ada prefers mornings."}'`}
        />
      }
    />
  );
}
