import type { Json, JsonObject } from './json.ts';

/** What an action version holds: everything that decides what is sent and how it is judged. Digested as JCS. */
export interface ActionDefinition {
  adapter: { type: string; version: string; config: JsonObject };
  inputSchema: JsonObject;
  outputSchema: JsonObject | null;
  governed: boolean;
  impact: ImpactDeclaration[];
  verify: VerifyDeclaration | null;
  approval: { required: boolean; tag: string | null };
  timeoutMs: number;
}

export interface ImpactDeclaration {
  /** `money`, `resource_mutations` or a unit that the workspace declares. */
  dimension: string;
  currency?: string;
  amount: { path: string } | { const: number };
  bound: 'exact' | 'upper_bound';
  /** Where the response that accepted it says how much was used: what an `upper_bound` settles to. */
  observed?: { path: string };
}

/** A declared quantity with its amount taken from the input: minor units for money, a count otherwise. */
export interface ImpactQuantity {
  dimension: string;
  currency?: string;
  amount: number;
  bound: 'exact' | 'upper_bound';
}

/** One expectation over `{status, headers, body}`; `path` is dotted with `[n]`, for example `body.items[0].state`. */
export interface Expectation {
  path: string;
  op: 'eq' | 'in' | 'exists';
  value?: Json;
}

/** How an outcome is read back from the provider: a GET and what its response must say. */
export interface VerifyDeclaration {
  request: { method: 'GET'; url: string; headers?: Record<string, string> };
  /** All must hold: then the effect happened. */
  expect: Expectation[];
  /** All hold: the provider is still at it. */
  pending?: Expectation[];
  /** All hold: the provider says that it failed. */
  failed?: Expectation[];
  /** When a read that finds nothing (404) proves that the effect did not happen. Zero matches prove nothing without it. */
  absenceProves?: { minAgeSeconds: number; reads: number };
}

export const ACTION_TIMEOUT_MS_DEFAULT = 30_000;
export const ACTION_TIMEOUT_MS_MAX = 300_000;

/** What an adapter can promise. What each means: docs/adapters/writing-an-adapter.md. */
export interface AdapterCapabilities {
  idempotent: boolean;
  idempotencyWindowSeconds: number | null;
  lookup: 'none' | 'by_id' | 'by_key';
  replay: boolean;
  preview: boolean;
  reversible: boolean;
}
