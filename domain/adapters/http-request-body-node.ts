import type { Json } from '../json.ts';
import type { Template } from './templates.ts';

/** A body with its templates parsed: leaves are templates, containers keep their shape. */
export type BodyNode =
  { leaf: Template; at: string } | { constant: Json } | { items: BodyNode[] } | { members: [string, BodyNode][] };
