import { z } from 'zod';
import { readOnboarding } from '../../db/analytics/environment.ts';
import { ONBOARDING_STEP_IDS, ONBOARDING_STEPS, onboardingPlace } from '../../domain/analytics/onboarding.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { count } from './range-schemas.ts';

const onboardingSchema = z
  .strictObject({
    steps: z
      .array(
        z.strictObject({
          id: z.enum(ONBOARDING_STEP_IDS),
          title: z.string().describe('For people.'),
          done: z.boolean(),
          doneAt: z.iso
            .datetime()
            .nullable()
            .describe('The time of the oldest record that is kept. Null while the step is open.'),
          docsUrl: z.string().describe('A page of the documentation, relative to its address.'),
          consolePath: z
            .string()
            .nullable()
            .describe('A page where a person takes the step, relative to the service. Null where the API alone does.'),
        }),
      )
      .length(ONBOARDING_STEP_IDS.length),
    completed: count.describe('The steps that are done.'),
    total: count,
  })
  .meta({ id: 'Onboarding' });

export const onboardingRoute = defineRoute(
  analyticsRead({
    id: 'analytics.onboarding',
    path: '/api/v2/analytics/onboarding',
    summary: 'Get the steps that lead to a first governed action',
    description:
      'Eleven steps, in the order of the quick start, each done or open by the records of this environment (`approver_added`: of its workspace). ' +
      'It looks for one record of each kind, and counts nothing; it is exact at the time of the reply. A step whose records are past the ' +
      'time that they are kept is open again.',
    range: 'none',
    data: onboardingSchema,
    async read(tx, { tenant }) {
      const done = await readOnboarding(tx);
      const steps = ONBOARDING_STEP_IDS.map((id) => ({
        id,
        title: ONBOARDING_STEPS[id].title,
        done: done[id] !== null,
        doneAt: done[id]?.toISOString() ?? null,
        ...onboardingPlace(id, tenant.environmentId),
      }));
      return { data: { steps, completed: steps.filter((step) => step.done).length, total: steps.length } };
    },
  }),
);
