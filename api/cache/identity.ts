import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { identityText, NAMESPACE_DEFAULT } from '../../domain/cache/cache.ts';
import { normalisedPrompt } from '../../domain/cache/prompt-form.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { lookupBody } from './schemas.ts';

export interface AskedIdentity {
  identity: Buffer;
  promptDigest: Buffer;
  namespace: string;
  model: string | null;
  attributes: JsonObject;
}

/** Digests for storage and lookup. System prompt and tools are stored as a digest only. */
export function identityOf(body: Omit<z.output<typeof lookupBody>, 'threshold' | 'shadow'>): AskedIdentity {
  const { prompt, model = null, system = null, tools = null, attributes = {}, namespace = NAMESPACE_DEFAULT } = body;
  return {
    identity: sha256(identityText({ namespace, model, system, tools, attributes })),
    promptDigest: sha256(normalisedPrompt(prompt)),
    namespace,
    model,
    attributes,
  };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
