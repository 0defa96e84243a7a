import type { EventRef, FanOutStep } from '../../../domain/events/events.ts';
import { ENVIRONMENT, inTurn, type Scenario } from '../../replay/scenario.ts';

const more: FanOutStep = { next: 'go on' };
const end = (status: 'fanned_out' | 'failed', deliveries: number): FanOutStep => ({ next: 'end', status, deliveries });

/** The pages of the event answer these steps. */
function fanningOut(what: string, ...steps: [FanOutStep, ...FanOutStep[]]): Scenario {
  const ref: EventRef = { eventId: 'evt_0000000000000000000001', ...ENVIRONMENT };
  return {
    name: `fanOutEvent/${what}.v1`,
    workflow: 'fanOutEvent',
    workflowId: `event/${ref.eventId}`,
    args: [ref],
    activities: { fanOutPage: inTurn(...steps) },
    server: 'time-skipping',
  };
}

export const scenarios: readonly Scenario[] = [
  fanningOut('nobody', end('fanned_out', 0)),
  fanningOut('pages', more, more, end('fanned_out', 400)),
  fanningOut('used-up', more, end('failed', 200)),
];
