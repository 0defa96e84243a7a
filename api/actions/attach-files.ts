import type { ActionRecord } from '../../db/actions/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findAttachable } from '../../db/files/files.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import type { AdapterDescriptor } from '../../domain/adapters/adapter-descriptor.ts';
import { type Issue, validationError } from '../../domain/errors.ts';
import {
  ATTACHED_BYTES_MAX,
  type Attachment,
  ATTACHMENTS_MAX,
  attachmentOf,
  filePlaces,
  inputAsAsked,
  namedFile,
  withValues,
} from '../../domain/files/attachments.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { type PathStep, pathText, readPath } from '../../domain/json-path.ts';
import { type Credential, requireAlso } from '../http/rights.ts';
import type { InputAnswers } from '../json-schema/input-answers.ts';
import { checkInput } from './check-input.ts';

export interface TakenInput {
  /** Holds the facts of each file, so that the input's digest is bound to their content. */
  input: JsonObject;
  fileIds: string[];
}

/**
 * Checks an input for admission, preview and binding: it fits the action's schema, its files exist and it renders.
 *
 * @throws {ServiceError} VALIDATION_ERROR; AUTHORIZATION_ERROR when it attaches files that the caller may not read.
 */
export async function takeInput(
  tx: EnvironmentTransaction,
  action: ActionRecord,
  input: JsonObject,
  { answers, credential }: { answers: InputAnswers; credential: Credential },
): Promise<TakenInput> {
  const { definition } = action;
  const descriptor = adapterDescriptor(definition.adapter.type, definition.adapter.version);
  const places = placesOfFiles(action, input, descriptor);
  if (places.length === 0) {
    checkInput(action, input, answers.issuesOf(definition.inputSchema, input));
    return { input, fileIds: [] };
  }
  // First, because each place copies the input.
  refuseTooMany(places);
  const asked = inputAsAsked(input, places);
  const issues = answers.issuesOf(definition.inputSchema, asked);
  if (issues.length > 0) checkInput(action, asked, issues);
  requireAlso(credential, 'files:read'); // what an action sends, its target reads
  const files = await readFiles(tx, input, places, descriptor.attachedBytesMax ?? ATTACHED_BYTES_MAX);
  const taken = withFiles(input, places, files);
  checkInput(action, taken, []);
  return { input: taken, fileIds: [...files.keys()] };
}

/** The same input with the files as an earlier admission found them; they may be deleted now. */
export function asAdmittedBefore(action: ActionRecord, input: JsonObject, admitted: JsonObject): JsonObject {
  const places = placesOfFiles(action, input);
  if (places.length > ATTACHMENTS_MAX) return input; // as none was admitted
  const files = new Map<string, Attachment>();
  for (const place of places) {
    const found = readPath(admitted, place);
    const file = found.found ? attachmentOf(found.value) : null;
    if (file !== null) files.set(file.id, file);
  }
  return withFiles(input, places, files);
}

function placesOfFiles(
  { definition }: ActionRecord,
  input: JsonObject,
  descriptor: AdapterDescriptor = adapterDescriptor(definition.adapter.type, definition.adapter.version),
): PathStep[][] {
  const paths = descriptor.filePaths?.(definition, input) ?? [];
  return paths.length === 0 ? [] : filePlaces(input, paths);
}

function withFiles(input: JsonObject, places: PathStep[][], files: ReadonlyMap<string, Attachment>): JsonObject {
  return withValues(input, places, (value) => {
    const file = files.get(namedFile(value)?.id ?? '');
    return file === undefined ? value : ({ ...file } satisfies Record<string, Json>);
  });
}

function refuseTooMany(places: readonly PathStep[][]): void {
  if (places.length <= ATTACHMENTS_MAX) return;
  const message = `names ${places.length} files; at most ${ATTACHMENTS_MAX} are sent`;
  throw validationError([{ path: 'body.input', message }]);
}

async function readFiles(
  tx: EnvironmentTransaction,
  input: JsonObject,
  places: PathStep[][],
  bytesMax: number,
): Promise<Map<string, Attachment>> {
  const issues: Issue[] = [];
  const refuse = (place: PathStep[], message: string): void => {
    issues.push({ path: pathText('body.input', place), message });
  };
  const named = places.flatMap((place) => {
    const found = readPath(input, place);
    const file = found.found ? namedFile(found.value) : null;
    if (file === null) refuse(place, 'must be the id of a file, such as fil_01h2x5Zk3vQ9mT7cR4bW8y');
    return file === null ? [] : [{ place, ...file }];
  });
  const ids = [...new Set(named.map(({ id }) => id))];
  const files = new Map((await findAttachable(tx, ids)).map((file) => [file.id, file]));
  let bytes = 0;
  for (const { place, id, sha256 } of named) {
    const file = files.get(id);
    bytes += file?.size ?? 0;
    if (file === undefined) refuse(place, `names no file of this environment that is uploaded and confirmed`);
    else if (sha256 !== null && sha256 !== file.sha256) refuse(place, `has the sha256 ${file.sha256}, not ${sha256}`);
  }
  if (bytes > bytesMax) {
    issues.push({ path: 'body.input', message: `attaches ${bytes} bytes; at most ${bytesMax} are sent` });
  }
  if (issues.length > 0) throw validationError(issues);
  return files;
}
