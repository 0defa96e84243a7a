import type { Expr } from './expression-tree.ts';

export function refuseCostly(_expr: Expr): void {}
