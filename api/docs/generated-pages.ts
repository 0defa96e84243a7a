import type { SourcePage } from '../../domain/docs/content.ts';
import { ROUTES } from '../routes.ts';
import { codePages } from './code-pages.ts';
import { operationPages } from './operation-pages.ts';
import { operationsIndex } from './operations-index.ts';

/** Pages generated at build time from the code's declarations. */
export function generatedPages(): SourcePage[] {
  return [operationsIndex(ROUTES), ...operationPages(ROUTES), ...codePages(ROUTES)];
}
