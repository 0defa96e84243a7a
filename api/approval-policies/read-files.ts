import { setImmediate as turn } from 'node:timers/promises';
import { parsePolicyDocument, type PolicyDocument } from '../../domain/approval-policies/document.ts';
import { validationError, type Issue } from '../../domain/errors.ts';

export interface PolicyFile {
  path: string;
  content: string;
}

export interface ReadFile {
  path: string;
  document: PolicyDocument;
}

/**
 * The document of each file. Other requests have their turn between two files.
 *
 * @throws {ServiceError} VALIDATION_ERROR with the issues of all of them, `body.files[3].content.rules[0].when`.
 */
export async function readFiles(files: readonly PolicyFile[]): Promise<ReadFile[]> {
  const read: ReadFile[] = [];
  const issues: Issue[] = [];
  const places = new Map<string, string>();
  for (const [index, { path, content }] of files.entries()) {
    await turn();
    const root = `body.files[${index}].content`;
    const parsed = parsePolicyDocument(content, root);
    if (!parsed.ok) {
      issues.push(...parsed.issues);
      continue;
    }
    const { document } = parsed;
    const earlier = places.get(document.name);
    if (earlier !== undefined) issues.push({ path: `${root}.name`, message: `is the name in ${earlier} too` });
    places.set(document.name, path);
    read.push({ path, document });
  }
  if (issues.length > 0) throw validationError(issues);
  return read;
}
