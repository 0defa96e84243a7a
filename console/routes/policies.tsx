import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { To } from '../components/link.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { PlanPolicies } from '../components/plan-policies.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { countOf } from '../components/text.ts';
import { Foreign, Time } from '../components/values.tsx';

type Policy = Schema<'ListedApprovalPolicy'>;

const FILTERS = [
  { name: 'name', label: 'Name' },
  { name: 'enabled', label: 'Enabled', options: ['true', 'false'] },
  { name: 'includeArchived', label: 'Deleted too', options: ['true'] },
] as const;

const COLUMNS: readonly Column<Policy>[] = [
  { title: 'Policy', cell: ({ name }) => <Foreign>{name}</Foreign> },
  {
    title: 'State',
    cell: ({ enabled, archivedAt }) => (
      <Badge of={archivedAt !== null ? 'archived' : enabled ? 'enabled' : 'disabled'} />
    ),
  },
  { title: 'Priority', align: 'right', cell: ({ priority }) => priority },
  {
    title: 'Rules',
    on: 'wide',
    cell: ({ document }) => ('rules' in document ? countOf(document.rules.length, 'rule') : 'many'),
  },
  { title: 'Version', align: 'right', cell: ({ version }) => version },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function PoliciesScreen() {
  const query = useListQuery(FILTERS.map(({ name }) => name));
  const read = useRead('approval-policies', '/api/v2/approval-policies', { query, keepsPrevious: true });
  return (
    <Screen title="Approval policies" actions={<PlanPolicies />}>
      <p>
        <To path="/policies/test">Try a request against the policies</To>
      </p>
      <List
        read={read}
        noun={['policy', 'policies']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        pathOf={({ id }) => `/policies/${id}`}
        filters={FILTERS}
        nothingYet={
          <NothingYet
            what="policies"
            hint="A policy says which requests need a person, and which are denied. Create one above."
          />
        }
      />
    </Screen>
  );
}
