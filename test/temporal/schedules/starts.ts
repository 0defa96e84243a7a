import { fireScheduleStart } from '../../../temporal/schedules/fire-schedule.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  [
    'schedule/sch_1-2026-11-22T09:00:00.000Z-manual',
    fireScheduleStart(
      { ...REF, scheduleId: 'sch_1', trigger: 'manual', nominalAt: '2026-11-22T09:00:00.000Z' },
      'q',
      ENVIRONMENT,
    ),
    [...OF_TENANT, 'Stage'],
  ],
];
