import type { ActionDefinition, AdapterCapabilities } from '../actions.ts';
import type { Issue } from '../errors.ts';
import type { Attachment } from '../files/attachments.ts';
import type { Json, JsonObject } from '../json.ts';
import type { PathStep } from '../json-path.ts';
import type { DeclaredImpact, SettledImpact } from '../impact.ts';
import type { Refusal } from '../refusals.ts';
import type { PreviewBlock } from './preview-block.ts';

/** The ids that a request may carry to its provider. `effectId` is the invocation id where there is no effect. */
export interface RequestIdentity {
  invocationId: string;
  effectId: string;
  operationKey: string;
}

/** A piece of a body: text, or the bytes of a file, of which only the digest is known before it is sent. */
export type BodyPart = { text: string } | { file: Attachment; encoding: 'raw' | 'base64' };

/** The exact request. `body` holds the bytes that are sent; a secret is shown as `{{secret:NAME}}` unless it was revealed. */
export interface PreparedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  bodyEncoding: 'utf8' | 'base64';
  /** The body of a request that carries files, piece by piece; `body` is null then. Left out where it carries none. */
  bodyParts?: BodyPart[];
}

export interface WrittenText {
  /** Dotted path into the definition. */
  path: string;
  text: string;
  /** `expected` is compared with what a read-back answers, and is not sent. */
  place: 'url' | 'query' | 'header' | 'body' | 'expected';
  /** The name of the header or the query parameter. */
  name: string | null;
  /** It is left out where the input lacks the value that it refers to. */
  mayBeLeftOut: boolean;
  /** It belongs to the read-back, where the response to the dispatch may be referred to. */
  ofVerify: boolean;
}

export type Preparation =
  | { kind: 'ready'; request: PreparedRequest; target: JsonObject; secretNames: string[] }
  /** A template does not resolve, or a value is not allowed where the template puts it. The caller's mistake, answered 400. */
  | { kind: 'invalid'; issues: Issue[] }
  /** It renders, and the service refuses to send it (a host outside `allowedHosts`). The rendered form is kept in the receipt. */
  | { kind: 'refused'; refusal: Refusal; request: PreparedRequest; target: JsonObject };

export interface PreparationInput {
  definition: ActionDefinition;
  input: JsonObject;
  identity: RequestIdentity;
  /** Values by secret name, inside the dispatch only. Left out everywhere else: placeholders stay. */
  secrets?: ReadonlyMap<string, string>;
}

/**
 * The pure half of an adapter, without I/O: the API and the policy evaluation use it. Preparing is deterministic: the approved
 * request can be made again from the immutable version and input, compared by digest, and only then filled with credentials.
 * The half that sends is `activities/adapters/adapter.ts`.
 */
export interface AdapterDescriptor {
  type: string;
  version: string;
  /** What this adapter promises for an action with this definition (an `http.request` is idempotent only with an `idempotencyHeader`). */
  capabilitiesFor(definition: ActionDefinition): AdapterCapabilities;
  /** Checks a config as the caller wrote it. Paths of issues are relative to the config. */
  parseConfig(config: unknown): { ok: true; config: JsonObject } | { ok: false; issues: Issue[] };
  /** Members that bound nothing and judge nothing: they change without `actions:govern`. By default none. */
  ungovernedConfig?: readonly string[];
  secretNames(definition: ActionDefinition): string[];
  prepare(input: PreparationInput): Preparation;
  /** Where an input may name files, one or a list. Admission makes each id an `Attachment`, for `prepare` to find. */
  filePaths?(definition: ActionDefinition, input: JsonObject): PathStep[][];
  /** The most bytes that the files of one request may have together; `ATTACHED_BYTES_MAX` where it is left out. */
  attachedBytesMax?: number;
  /** Whether `readBack` can learn an outcome for this definition: it declares `verify`, or the adapter knows its provider. */
  readsBack(definition: ActionDefinition): boolean;
  /** Whether the sending half has an `inspect`: a read of the provider's record before anything is decided. */
  inspects: boolean;
  /** Whether such a call can change its target. Only a call that cannot may be ungoverned without more scrutiny. */
  writes(definition: ActionDefinition): boolean;
  /** True: every action of this adapter is governed, whatever it declares. The adapter itself says what it uses up. */
  alwaysGoverned?: boolean;
  /** The input schema of an action that declares none. `prepare` checks every input against it, whatever schema the action has. */
  inputSchema?: JsonObject;
  /** Where a (parsed) definition holds templates, for an adapter whose config has any: what they refer to is checked when it is written. */
  texts?(definition: ActionDefinition): WrittenText[];
  /** Other refused parts, such as a `verify` where it reads back by itself. Paths are relative to the definition. */
  definitionIssues?(definition: ActionDefinition): Issue[];
  /** As far as the adapter knows. Call `impactOf` of adapter-impact.ts, which adds the declaration. */
  impactOf?(definition: ActionDefinition, input: JsonObject, inspected: JsonObject | null): DeclaredImpact;
  /** The dimensions of what `impactOf` may answer. Money is then in any currency that the definition does not name. */
  impactDimensions?: readonly string[];
  /**
   * The amount that an accepted request really used. An `upper_bound` settles to it, unless its declaration names a
   * path. Report only what the provider states about this effect: an unreported quantity settles in full.
   */
  observedImpact?(definition: ActionDefinition, response: ProviderResponse): SettledImpact;
  /** What a preview says of a request that can be prepared, without asking the provider. */
  previewBlocks?(definition: ActionDefinition, input: JsonObject): PreviewBlock[];
}

/** What a provider answered, credentials removed. `body` is parsed where it is JSON, else text, else base64 of the bytes. */
export interface ProviderResponse {
  status: number;
  headers: Record<string, string>;
  body: Json;
  bodyEncoding: 'json' | 'utf8' | 'base64';
}
