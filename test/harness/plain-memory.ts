import type { NewMemory } from '../../db/memory/changes.ts';

/** A memory with nothing but what a test says of it. */
export function plainMemory(said: Pick<NewMemory, 'vector'> & Partial<NewMemory>): NewMemory {
  return {
    kind: 'fact',
    content: 'a fact',
    userId: null,
    agentId: null,
    sessionId: null,
    source: null,
    metadata: {},
    validFrom: null,
    validTo: null,
    expiresAt: null,
    ...said,
  };
}
