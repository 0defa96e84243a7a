import type { DeadLetterJobRef, JobStep } from '../../../domain/dead-letters/dead-letters.ts';
import type { NoPlace } from '../../../domain/in-flight.ts';
import type { EventRef, FanOutStep } from '../../../domain/events/events.ts';
import { ENVIRONMENT, inTurn, NO_PLACE, type Scenario } from '../../replay/scenario.ts';

const more = { next: 'go on' } as const;
const end = (status: 'fanned_out' | 'failed', deliveries: number): FanOutStep => ({ next: 'end', status, deliveries });

/** The pages of the event answer these steps. */
function fanningOut(what: string, ...steps: [FanOutStep | NoPlace, ...(FanOutStep | NoPlace)[]]): Scenario {
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

/** The pages of a recovery answer these steps. */
function recovering(what: string, ...steps: [JobStep, ...JobStep[]]): Scenario {
  const ref: DeadLetterJobRef = { jobId: 'rcv_0000000000000000000001', kind: 'recover', ...ENVIRONMENT };
  return {
    name: `recoverSubscription/${what}.v1`,
    workflow: 'recoverSubscription',
    workflowId: `recover/${ref.jobId}`,
    args: [ref],
    activities: { recoverSubscriptionPage: inTurn(...steps) },
    server: 'time-skipping',
  };
}

export const scenarios: readonly Scenario[] = [
  fanningOut('nobody', end('fanned_out', 0)),
  fanningOut('pages', more, more, end('fanned_out', 400)),
  fanningOut('queued', NO_PLACE, more, NO_PLACE, NO_PLACE, end('fanned_out', 200)),
  fanningOut('used-up', more, end('failed', 200)),
  recovering('completed', more, { next: 'wait', why: 'deliveries' }, more, { next: 'end', status: 'completed' }),
  recovering('paused-while-halted', { next: 'wait', why: 'halted' }, more, { next: 'end', status: 'completed' }),
  recovering('failed', more, { next: 'end', status: 'failed' }),
  recovering('cancelled', more, { next: 'wait', why: 'deliveries' }, { next: 'end', status: 'cancelled' }),
];
