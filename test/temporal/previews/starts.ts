import { observePreviewStart } from '../../../temporal/previews/observe-preview.ts';
import { type DeclaredStart, NAMES, OF_TENANT, REF } from '../start-declarations.ts';

export const starts: DeclaredStart[] = [
  ['preview/prv_1', observePreviewStart(REF, 'q', NAMES), [...OF_TENANT, 'ActionName']],
];
