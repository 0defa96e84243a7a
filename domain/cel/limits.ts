/**
 * What an expression may cost. Work is counted in units, so that it is cut off at the same point on every machine. A
 * unit is at most half a microsecond, so an evaluation stays well below 100 ms (bench/policy, docs/performance.md).
 */
export const EXPRESSION_CHARACTERS_MAX = 2_000;
/** Bounds of the syntax tree, macros expanded. */
export const EXPRESSION_DEPTH_MAX = 50;
export const EXPRESSION_NODES_MAX = 1_000;
/** Comprehensions inside the body of a comprehension, the outer one counted. Chained ones (`a.filter(…).map(…)`) are not nested. */
export const COMPREHENSION_NESTING_MAX = 3;
export const LITERAL_ITEMS_MAX = 100;
/** The instructions of one pattern: RE2's work is this times the text. For a whole document the sum is bounded, for its memory. */
export const PATTERN_PROGRAM_MAX = 2_000;
export const DOCUMENT_PATTERN_PROGRAMS_MAX = 5_000;
export const PATTERN_CHARACTERS_MAX = 256;

export const EXPRESSION_UNITS_MAX = 25_000;
/** Work of one evaluation of a whole set of policies. */
export const EVALUATION_UNITS_MAX = 50_000;

/** Longest string and longest list that an expression may make. */
export const MADE_CHARACTERS_MAX = 100_000;
export const MADE_ITEMS_MAX = 10_000;
/** A longer text is no number, time or duration. Without this bound `int("9…9")` takes quadratic time. */
export const CONVERTED_CHARACTERS_MAX = 64;

/** Heap use of a compiled expression, measured: for each character, and for each instruction of its patterns. */
export const BYTES_A_CHARACTER = 80;
export const BYTES_A_PATTERN_INSTRUCTION = 200;
