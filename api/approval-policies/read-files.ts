import {
  conditionCharactersOf,
  policyDocumentInSteps,
  type PolicyDocument,
} from '../../domain/approval-policies/document.ts';
import { LIVE_CONDITION_CHARACTERS_MAX } from '../../domain/approval-policies/files.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import { validationError, type Issue } from '../../domain/errors.ts';
import type { Caller } from '../http/define-route.ts';

export interface PolicyFile {
  path: string;
  content: string;
}

export interface ReadFile {
  path: string;
  document: PolicyDocument;
}

/**
 * Reads the document of each file. Yields to other requests between files and between conditions.
 *
 * @throws {ServiceError} VALIDATION_ERROR with the issues of all files, `body.files[3].content.rules[0].when`.
 */
export async function readFiles(files: readonly PolicyFile[], { tenant }: Pick<Caller, 'tenant'>): Promise<ReadFile[]> {
  const read: ReadFile[] = [];
  const issues: Issue[] = [];
  const places = new Map<string, string>();
  let characters = 0;
  for (const [index, { path, content }] of files.entries()) {
    const root = `body.files[${index}].content`;
    const parsed = await policyTurns.run(tenant.environmentId, policyDocumentInSteps(content, root));
    if (!parsed.ok) {
      issues.push(...parsed.issues);
      continue;
    }
    const { document } = parsed;
    characters += conditionCharactersOf(document);
    if (characters > LIVE_CONDITION_CHARACTERS_MAX) throw validationError([TOO_MUCH]);
    const earlier = places.get(document.name);
    if (earlier !== undefined) issues.push({ path: `${root}.name`, message: `is the name in ${earlier} too` });
    places.set(document.name, path);
    read.push({ path, document });
  }
  if (issues.length > 0) throw validationError(issues);
  return read;
}

/** The limit of an environment. Reading more would delay other requests. */
const TOO_MUCH: Issue = {
  path: 'body.files',
  message: `hold more than ${LIVE_CONDITION_CHARACTERS_MAX} characters of conditions together`,
};
