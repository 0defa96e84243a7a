import { RE2JS } from 're2js';

/** Counted repetition is unrolled, so that the size of a program bounds the work for each character. */
const PATTERN_PROGRAM_MAX = 10_000;

/** Compiles a pattern of JSON Schema for RE2. Throws where it needs back-tracking or is too large. */
export function compilePattern(pattern: string): RE2JS {
  const program = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (program.programSize() > PATTERN_PROGRAM_MAX) throw new Error('the pattern is too large');
  return program;
}
