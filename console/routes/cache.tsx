import { call, type Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { FormDialog } from '../components/dialog.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { useEnvironmentId } from '../components/location.ts';
import { useTypedName } from '../components/protection.ts';
import { Screen, When } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { bytesText, countText, percentText } from '../components/text.ts';
import { Foreign, Time } from '../components/values.tsx';

const FILTERS = [{ name: 'namespace', label: 'Namespace' }] as const;

const COLUMNS: readonly Column<Schema<'ListedCacheEntry'>>[] = [
  { title: 'Prompt', cell: ({ prompt }) => (typeof prompt === 'string' ? <Foreign>{prompt}</Foreign> : 'A long one') },
  { title: 'Namespace', cell: ({ namespace }) => <Foreign>{namespace}</Foreign> },
  { title: 'Model', on: 'wide', cell: ({ model }) => <Foreign>{model}</Foreign> },
  { title: 'Hits', align: 'right', cell: ({ hits }) => countText(hits) },
  { title: 'Last hit', on: 'wide', cell: ({ lastHitAt }) => <Time at={lastHitAt} /> },
  { title: 'Kept until', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

export function CacheScreen() {
  const environmentId = useEnvironmentId();
  const typed = useTypedName();
  const read = useRead('cache', '/api/v2/cache', { query: useListQuery(['namespace']), keepsPrevious: true });
  const flush = (
    <FormDialog
      open="Flush"
      title="Delete kept answers"
      submit="Delete for good"
      tone="danger"
      typed={typed}
      fields={[{ name: 'namespace', label: 'Only this namespace', hint: 'Without one, all of them.' }]}
      change={({ namespace = '' }) =>
        call('post', '/api/v2/cache/flush', { environmentId, body: namespace === '' ? {} : { namespace } })
      }
    >
      <p>Agents ask their models again.</p>
    </FormDialog>
  );
  return (
    <Screen title="Cache" actions={flush}>
      <Stats />
      <List
        read={read}
        noun={['kept answer', 'kept answers']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="kept answers"
            hint="Answers of models that agents store are found again by the same prompt, or a near one."
          />
        }
      />
    </Screen>
  );
}

function Stats() {
  const read = useRead('cache', '/api/v2/cache/stats');
  return (
    <When read={read}>
      {({ data: { entries, bytes, hits, misses, hitRate, tokensSaved } }) => (
        <ul className="tiles">
          <Stat
            name="Hit rate"
            value={percentText(hitRate)}
            note={`${countText(hits)} hits, ${countText(misses)} misses`}
          />
          <Stat name="Kept answers" value={countText(entries)} note={bytesText(bytes)} />
          <Stat name="Tokens saved" value={countText(tokensSaved)} note="" />
        </ul>
      )}
    </When>
  );
}

function Stat({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <li className="tile">
      <span className="quiet">{name}</span>
      <strong>{value}</strong>
      <span className="quiet">{note}</span>
    </li>
  );
}
