import type { Schema } from '../api/client.ts';
import { type Environment, useEnvironments, useReadIn } from '../api/queries.ts';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { capital, jsonText, wordsOf } from '../components/text.ts';
import { Code, Foreign, Id, None, Time } from '../components/values.tsx';
import { InWorkspace } from '../components/workspace.tsx';

type Entry = Schema<'AuditEntry'>;

const FILTERS = [
  { name: 'action', label: 'What' },
  { name: 'actor', label: 'By, an id' },
  { name: 'target', label: 'On, an id' },
  { name: 'startDate', label: 'Since', kind: 'day' },
] as const;

export function AuditScreen() {
  return <InWorkspace>{(environment) => <Audit environment={environment} />}</InWorkspace>;
}

function Audit({ environment: { workspaceId, workspaceName } }: { environment: Environment }) {
  const names = new Map((useEnvironments().data ?? []).map(({ id, name }) => [id, name]));
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useReadIn(undefined, 'audit', '/api/v2/workspaces/{workspaceId}/audit', {
    path: { workspaceId },
    query,
    keepsPrevious: true,
  });
  const columns: readonly Column<Entry>[] = [
    { title: 'What', cell: ({ action }) => <code>{action}</code> },
    {
      title: 'By',
      cell: ({ actor }) => (
        <>
          {capital(wordsOf(actor.type))} {actor.id !== null && <Id value={actor.id} short />}
        </>
      ),
    },
    {
      title: 'On',
      cell: ({ target }) => (
        <>
          {wordsOf(target.type)} <Id value={target.id} short />
        </>
      ),
    },
    {
      title: 'Environment',
      on: 'wide',
      cell: ({ environmentId }) => <Foreign>{names.get(environmentId ?? '')}</Foreign>,
    },
    { title: 'When', cell: ({ recordedAt }) => <Time at={recordedAt} /> },
    { title: 'Details', on: 'wide', cell: (entry) => <Details of={entry} /> },
  ];
  return (
    <Screen title="Audit log" kicker={workspaceName}>
      <List
        read={read}
        noun={['entry', 'entries']}
        columns={columns}
        idOf={({ id }) => id}
        filters={FILTERS}
        nothingYet={<NothingYet what="entries" hint="Every change is written here, with who made it." />}
      />
    </Screen>
  );
}

function Details({ of: { details, hash, requestId } }: { of: Entry }) {
  return (
    <details>
      <summary>Show</summary>
      {Object.keys(details).length === 0 ? <None /> : <Code text={jsonText(details)} label="details" />}
      <p className="quiet">
        {requestId !== null && (
          <>
            Request <Id value={requestId} short />{' '}
          </>
        )}
        Hash <Id value={hash} short />
      </p>
    </details>
  );
}
