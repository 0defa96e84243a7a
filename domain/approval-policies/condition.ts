import { LRUCache } from 'lru-cache';
import { meteredEnvironment } from '../cel/environment.ts';
import { compileExpression, type CompiledExpression } from '../cel/expression.ts';
import { ExpressionError } from '../cel/tree.ts';
import { BOOL, typeText } from '../cel/types.ts';
import { FACT_TYPES } from './expression-facts.ts';

export type CompiledCondition = { ok: true; expression: CompiledExpression } | { ok: false; message: string };

/** About how much of the heap the compiled conditions of a process may take. */
const CONDITIONS_BYTES_MAX = 24 * 1_048_576;
const POLICY_ENVIRONMENT = meteredEnvironment({}, FACT_TYPES);

const conditions = new LRUCache<string, CompiledCondition>({
  maxSize: CONDITIONS_BYTES_MAX,
  sizeCalculation: (compiled, text) => (compiled.ok ? compiled.expression.bytes : 2 * text.length + 1),
});

/** A condition of a policy: checked over the facts, and true or false. Parsing is slow, hence the LRU cache. */
export function compileCondition(text: string): CompiledCondition {
  const known = conditions.get(text);
  if (known !== undefined) return known;
  const compiled = compile(text);
  conditions.set(text, compiled);
  return compiled;
}

function compile(text: string): CompiledCondition {
  try {
    const expression = compileExpression(POLICY_ENVIRONMENT, text);
    const { type } = expression;
    if (type.kind === 'dyn' || (type.kind === 'scalar' && type.name === BOOL.name)) return { ok: true, expression };
    return { ok: false, message: `must be true or false, and is a ${typeText(type)}` };
  } catch (error) {
    if (error instanceof ExpressionError) return { ok: false, message: error.message };
    throw error;
  }
}
