import { invokeActionStart } from '../../../temporal/invocations/invoke-action.ts';
import { type DeclaredStart, NAMES, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  [
    'invocation/inv_1',
    invokeActionStart(REF, 'q', NAMES),
    [...OF_TENANT, 'ActionName', 'InvocationId', 'Stage', 'Grade'],
  ],
];
