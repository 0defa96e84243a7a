import type { SourcePage } from '../../domain/docs/content.ts';
import { ROUTES } from '../routes.ts';
import { codePages } from './code-pages.ts';
import { operationPages } from './operation-pages.ts';
import { operationsIndex } from './operations-index.ts';

/** The pages that are made of what the code declares: every operation of the API, every error, refusal and warning code. At build time. */
export function generatedPages(): SourcePage[] {
  return [operationsIndex(ROUTES), ...operationPages(ROUTES), ...codePages(ROUTES)];
}
