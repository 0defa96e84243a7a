import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { BulkActs } from '../components/dead-letter-bulk.tsx';
import { DeadLetterJobs } from '../components/dead-letter-jobs.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { wordsOf } from '../components/text.ts';
import { Foreign, Id, None, Time } from '../components/values.tsx';

export type DeadLetter = Schema<'ListedDeadLetter'>;

export const FILTERS = [
  {
    name: 'reason',
    label: 'Reason',
    options: ['retries_exhausted', 'gone', 'not_retryable', 'destination_blocked'],
  },
  { name: 'url', label: 'Destination' },
  { name: 'responseStatus', label: 'Answer' },
  { name: 'label', label: 'Label' },
  { name: 'startDate', label: 'Since', kind: 'day' },
] as const;

export const COLUMNS: readonly Column<DeadLetter>[] = [
  {
    title: 'Destination',
    cell: ({ method, url }) => (
      <>
        {method} <Foreign>{url}</Foreign>
      </>
    ),
  },
  { title: 'Reason', cell: ({ dlqReason }) => wordsOf(dlqReason) },
  { title: 'Answer', cell: ({ responseStatus, errorMessage }) => responseStatus ?? <Foreign>{errorMessage}</Foreign> },
  { title: 'Attempts', align: 'right', on: 'wide', cell: ({ attempts }) => attempts ?? <None /> },
  { title: 'Failed', cell: ({ failedAt }) => <Time at={failedAt} /> },
  { title: 'Message', on: 'wide', cell: ({ messageId }) => <Id value={messageId} short /> },
];

export function DeadLettersScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('dlq', '/api/v2/dlq', { query, keepsPrevious: true });
  const { page, limit: _limit, ...filter } = query;
  const total = read.data?.pagination.total ?? 0;
  return (
    <Screen title="Dead letters">
      <List
        read={read}
        noun={['dead letter', 'dead letters']}
        columns={COLUMNS}
        idOf={({ messageId }) => messageId}
        pathOf={({ messageId }) => `/dlq/${messageId}`}
        filters={FILTERS}
        tools={
          total > 0 && read.data !== undefined ? (
            <BulkActs filter={filter} total={total} first={read.data.data} isFirstPage={page === 1} />
          ) : undefined
        }
        nothingYet={
          <NothingYet what="dead letters" hint="Messages that failed for good come here. None has: nothing to do." />
        }
      />
      <DeadLetterJobs />
    </Screen>
  );
}
