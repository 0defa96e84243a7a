import type { Counted } from '../../domain/analytics/counted.ts';
import { type Grade, GRADES } from '../../domain/lifecycle.ts';

export function gradesOf(counted: Counted): Record<Grade, number> {
  return Object.fromEntries(GRADES.map((grade) => [grade, counted.n('effects.graded', grade)])) as Record<
    Grade,
    number
  >;
}
