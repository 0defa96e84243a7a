import { paceFlowControlStart } from '../../../temporal/flow-control/pace-flow-control.ts';
import { type DeclaredStart, ENVIRONMENT, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['flow-control/fck_1', paceFlowControlStart({ ...REF, keyId: 'fck_1' }, 'q', ENVIRONMENT), OF_TENANT],
];
