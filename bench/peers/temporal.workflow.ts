import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Input, Outcome } from './job.ts';
import type { TemporalActivities } from './temporal-service.ts';

const options = { startToCloseTimeout: '7 seconds' } as const;
const local = proxyLocalActivities<TemporalActivities>(options);
const { call } = proxyActivities<TemporalActivities>(options);

/** As a guide has it, with the SDK's own retries; what touches the database is short, and so a local activity. */
export async function native(key: string, input: Input): Promise<Outcome> {
  await local.reserve(key);
  const answer = await call(key, input);
  await local.record(key, input, answer);
  return { status: 'succeeded', answer };
}

export async function fenced(key: string, input: Input): Promise<Outcome> {
  return local.fencedCall(key, input);
}
