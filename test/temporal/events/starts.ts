import { fanOutEventStart } from '../../../temporal/events/fan-out-event.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['event/evt_1', fanOutEventStart({ ...REF, eventId: 'evt_1' }, 'q', ENVIRONMENT), OF_TENANT],
];
