import type { NoPlace } from '../../../domain/in-flight.ts';
import type { FlowControlKeyRef } from '../../../domain/flow-control/flow-control.ts';
import { caller, ENVIRONMENT, inTurn, NO_PLACE, type Scenario } from '../../replay/scenario.ts';

const keyRef: FlowControlKeyRef = { keyId: 'fck_0000000000000000000001', ...ENVIRONMENT };

const pacing = (what: string, grantByTime: () => Promise<number | null | NoPlace>): Scenario => ({
  name: `paceFlowControl/${what}.v1`,
  workflow: 'paceFlowControl',
  workflowId: `flow-control/${keyRef.keyId}`,
  args: [keyRef],
  activities: { grantByTime },
  server: 'time-skipping',
});

const told = new Set<string>();

export const scenarios: readonly Scenario[] = [
  pacing('three-windows', inTurn<number | null>(60_000, 0, 60_000, null)),
  pacing('queued', inTurn<number | null | NoPlace>(NO_PLACE, 60_000, NO_PLACE, null)),
  // A newcomer's signal meets the end of the pacer, which looks once more.
  pacing('told-at-its-end', async () => {
    const handle = caller();
    if (told.has(handle.workflowId)) return null;
    told.add(handle.workflowId);
    await handle.signal('pace');
    return null;
  }),
  // The time of the next look comes forward by a day.
  pacing('told-while-it-waits', async () => {
    const handle = caller();
    const name = `${handle.workflowId}/waiting`;
    if (told.has(name)) return null;
    told.add(name);
    await handle.signal('pace');
    return 86_400_000;
  }),
];
