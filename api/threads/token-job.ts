import type { AssembledContext, ContextRequest } from '../../domain/context/assemble.ts';

/** What the token thread is asked: the tokens of each text, or a context within its budget. */
export type TokenJob = { kind: 'count'; texts: readonly string[] } | { kind: 'assemble'; request: ContextRequest };

export type TokenAnswer = { kind: 'count'; counts: number[] } | { kind: 'assemble'; context: AssembledContext };
