import { readFileSync } from 'node:fs';

/** sdk/vectors: what every SDK, and the service itself, must answer to what. Their form: sdk/vectors/README.md. */

export interface DeliveryVector {
  name: string;
  now: number;
  headers: Record<string, string>;
  body?: string;
  bodyBase64?: string;
  secret: string | string[];
  environmentId: string;
  options?: { toleranceSeconds?: number; acceptV1Only?: boolean };
  expect:
    | { valid: true; messageId: string; timestampSeconds: number; environmentVerified: boolean }
    | { valid: false; reason: string };
}

export interface SignatureVector {
  name: string;
  messageId: string;
  timestampSeconds: number;
  environmentId: string;
  body: string;
  secrets: string[];
  header: string;
}

interface Head {
  sequence: number;
  hash: string;
}

export interface ReceiptVector {
  name: string;
  effect: {
    id: string;
    environmentId: string;
    evidence: ChainedRecord[];
    attempts: ChainedRecord[];
    resolution: ChainedRecord | null;
  };
  keptHead?: Head;
  expect: {
    valid: boolean;
    entries: number;
    checked: object;
    head: Head | null;
    brokenAt: { problem: string; kind: string | null } | null;
  };
}

export interface ChainedRecord extends Record<string, unknown> {
  id: string;
  chain: (Head & { kind: string; previousHash: string | null })[];
}

export interface ScopeVector {
  name: string;
  reply: unknown;
  required: string[];
  forbidden?: string[];
  expect: { passes: true } | { passes: false; missing: string[]; forbidden: string[]; malformed: boolean };
}

export interface ErrorVector {
  name: string;
  status: number;
  headers: Record<string, string>;
  body: string;
  expect: { type: string; code?: string; status: number } & Record<string, unknown>;
}

type Answer = { fails: 'connection' } | { status: number; headers?: Record<string, string>; body: unknown };

export interface ExchangeVector {
  section: string;
  name: string;
  call: { operation: string } & Record<string, unknown>;
  replies: Answer[];
  requests: {
    method: string;
    path: string;
    query?: Record<string, string>;
    queryNames?: string[];
    body?: unknown;
    idempotencyKey: string;
  }[];
  expect: {
    result?: Record<string, unknown>;
    items?: (string | object)[];
    error?: { type: string; cause?: string; idempotencyKey?: string; invocation?: object };
  };
}

interface Vectors {
  deliveries: { deliveries: DeliveryVector[]; signatures: SignatureVector[] };
  receipts: {
    canonicalTexts: { name: string; value: unknown; text: string }[];
    receipts: ReceiptVector[];
    malformed: { name: string; effect: unknown }[];
  };
  scopes: { checks: ScopeVector[] };
  errors: { replies: ErrorVector[] };
  'error-codes': { codes: { code: string; statuses: number[]; type: string }[] };
  exchanges: {
    exchanges: ExchangeVector[];
    idempotencyKeys: { name: string; key: string; valid: boolean }[];
    pathSegments: { name: string; segment: string; path: string | null }[];
  };
}

export function readVectors<Name extends keyof Vectors>(name: Name): Vectors[Name] {
  const file = new URL(`../../sdk/vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Vectors[Name];
}
