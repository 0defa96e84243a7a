import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { NewAction } from '../components/action-forms.tsx';
import { Badge } from '../components/badge.tsx';
import { ImportActions } from '../components/import-actions.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { wordsOf } from '../components/text.ts';
import { Foreign, None, Time } from '../components/values.tsx';

type Action = Schema<'ListedAction'>;

const FILTERS = [
  { name: 'query', label: 'Search' },
  { name: 'includeArchived', label: 'Archived too', options: ['true'] },
] as const;

const COLUMNS: readonly Column<Action>[] = [
  { title: 'Action', cell: ({ name }) => <Foreign>{name}</Foreign> },
  {
    title: 'State',
    cell: ({ archivedAt, governed }) =>
      archivedAt === null ? (
        <Badge of={governed ? 'active' : 'plain'} words={governed ? 'Governed' : 'Plain'} />
      ) : (
        <Badge of="archived" />
      ),
  },
  { title: 'Description', on: 'wide', cell: ({ description }) => <Foreign>{description}</Foreign> },
  { title: 'Adapter', on: 'wide', cell: ({ adapter }) => adapter.type },
  {
    title: 'Impact',
    cell: ({ impact }) =>
      impact.length === 0 ? <None /> : impact.map(({ dimension }) => wordsOf(dimension)).join(', '),
  },
  { title: 'Version', align: 'right', cell: ({ currentVersion }) => currentVersion.number },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function ActionsScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('actions', '/api/v2/actions', { query, keepsPrevious: true });
  return (
    <Screen
      title="Actions"
      actions={
        <>
          <ImportActions />
          <NewAction />
        </>
      }
    >
      <List
        read={read}
        noun={['action', 'actions']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        pathOf={({ name }) => `/actions/${name}`}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="actions"
            hint="An action is a call that agents may make. Import an OpenAPI document, or create one above."
          />
        }
      />
    </Screen>
  );
}
