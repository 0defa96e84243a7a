import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { GRADES } from '../components/grades.ts';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { wordsOf } from '../components/text.ts';
import { Foreign, Id, Quantities, Time } from '../components/values.tsx';

type Effect = Schema<'ListedEffectDetail'>;

const FILTERS = [
  { name: 'grade', label: 'Grade', options: GRADES },
  {
    name: 'stage',
    label: 'Stage',
    options: ['awaiting_approval', 'ready', 'dispatching', 'reconciling', 'settled', 'rejected'],
  },
  { name: 'action', label: 'Action' },
] as const;

const COLUMNS: readonly Column<Effect>[] = [
  { title: 'Action', cell: ({ action }) => <Foreign>{action.name}</Foreign> },
  { title: 'Grade', cell: ({ grade }) => <Badge of={grade} /> },
  { title: 'Impact', align: 'right', cell: ({ impact }) => <Quantities of={impact} /> },
  { title: 'Stage', on: 'wide', cell: (effect) => <Stage effect={effect} /> },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Effect', on: 'wide', cell: ({ id }) => <Id value={id} short /> },
];

function Stage({ effect: { stage, reconciliation } }: { effect: Effect }) {
  if (reconciliation.exhausted) return <Badge of="exhausted" words="Needs a person" />;
  return <span className="quiet">{wordsOf(stage)}</span>;
}

const COMMAND = `curl -sS -X POST $BASE/api/v2/actions/NAME/invoke -H "Authorization: Bearer $AGENT" \\
  -H 'Content-Type: application/json' -d '{"input":{}}'`;

export function EffectsScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('effects', '/api/v2/actions/effects', { query, keepsPrevious: true });
  return (
    <Screen title="Effects">
      <List
        read={read}
        noun={['effect', 'effects']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        pathOf={({ id }) => `/effects/${id}`}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="effects"
            hint="An effect is what a governed action did, with its receipt. The first one comes when an agent invokes such an action:"
            command={COMMAND}
          />
        }
      />
    </Screen>
  );
}
