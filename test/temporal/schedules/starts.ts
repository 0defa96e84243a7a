import { fireScheduleAction, fireScheduleStart } from '../../../temporal/schedules/fire-schedule.ts';
import { type AnyStart, type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

/** The action of the Temporal Schedule, under the names that a start has. */
function scheduled(): AnyStart {
  const {
    type: _kind,
    workflowType,
    ...options
  } = fireScheduleAction({ ...REF, scheduleId: 'sch_1' }, 'q', ENVIRONMENT);
  return { type: workflowType, options };
}

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
  [
    'schedule/sch_1-2026-11-22T09:00:00.000Z-waited',
    fireScheduleStart(
      { ...REF, scheduleId: 'sch_1', trigger: 'schedule', nominalAt: '2026-11-22T09:00:00.000Z' },
      'q',
      ENVIRONMENT,
    ),
    [...OF_TENANT, 'Stage'],
  ],
  ['schedule/sch_1', scheduled(), [...OF_TENANT, 'Stage']],
];
