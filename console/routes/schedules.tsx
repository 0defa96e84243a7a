import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { type Column, List, useListQuery } from '../components/list.tsx';
import { NewSchedule } from '../components/new-schedule.tsx';
import { Screen } from '../components/screen.tsx';
import { NothingYet } from '../components/states.tsx';
import { Foreign, Time } from '../components/values.tsx';

type Schedule = Schema<'ListedSchedule'>;

const COLUMNS: readonly Column<Schedule>[] = [
  { title: 'Schedule', cell: ({ name, cron }) => <Foreign>{name ?? cron}</Foreign> },
  { title: 'State', cell: ({ paused }) => <Badge of={paused ? 'paused' : 'active'} /> },
  {
    title: 'When',
    cell: ({ cron, timezone }) => (
      <>
        <code>{cron}</code> <span className="quiet">{timezone}</span>
      </>
    ),
  },
  {
    title: 'Destination',
    on: 'wide',
    cell: ({ destination: { url, urlGroup, topic } }) => <Foreign>{url ?? urlGroup ?? topic}</Foreign>,
  },
  { title: 'Last', on: 'wide', cell: ({ lastRunAt }) => <Time at={lastRunAt} /> },
  { title: 'Next', cell: ({ nextRunAt, paused }) => (paused ? 'Paused' : <Time at={nextRunAt} distance />) },
];

export function SchedulesScreen() {
  const query = useListQuery([]);
  const read = useRead('schedules', '/api/v2/schedules', { query, keepsPrevious: true });
  return (
    <Screen title="Schedules" actions={<NewSchedule />}>
      <List
        read={read}
        noun={['schedule', 'schedules']}
        columns={COLUMNS}
        idOf={({ id }) => id}
        pathOf={({ id }) => `/schedules/${id}`}
        nothingYet={
          <NothingYet what="schedules" hint="A schedule publishes a message at its times. Create one above." />
        }
      />
    </Screen>
  );
}
