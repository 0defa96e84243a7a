import type { Counted } from '../../domain/analytics/counted.ts';
import { type Grade, GRADES } from '../../domain/lifecycle.ts';

/** Effects by grade, zeros included. */
export function gradesOf(counted: Counted): Record<Grade, number> {
  return Object.fromEntries(GRADES.map((grade) => [grade, counted.n('effects.graded', grade)])) as Record<
    Grade,
    number
  >;
}
