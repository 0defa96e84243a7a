import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { BareActivities, BareInput } from './bare-activities.ts';

const { admit, settle } = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '20 seconds' });
const { call } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute', retry: { maximumAttempts: 1 } });

/** What a user would write without this service: a local, a regular and a local activity. No database, no receipt, no fence. */
export async function bareInvoke(input: BareInput): Promise<{ status: string }> {
  const admitted = await admit(input);
  const called = await call(admitted);
  return settle(called);
}
