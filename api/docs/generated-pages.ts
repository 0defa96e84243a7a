import type { SourcePage } from '../../domain/docs/content.ts';

/** The pages that are made of what the code declares: every operation of the API, every error, refusal and warning code. At build time. */
export function generatedPages(): SourcePage[] {
  return [];
}
