import { digestOf } from '../canonical-json.ts';
import type { Issue } from '../errors.ts';
import type { ExactJson } from '../json.ts';
import { isWellFormed } from '../storable-text.ts';
import { chargeText, markOfFile, renderLeaf, type Rendering } from './template-rendering.ts';
import { resolveReference, soleReference } from './templates.ts';
import type { BodyNode } from './http-request-body-node.ts';
import type { RequestIdentity } from './adapter-descriptor.ts';

/** Bodies of multipart/form-data (RFC 7578): each member is a part, and a list repeats its part. */
export const MULTIPART_MEDIA_TYPE = 'multipart/form-data';

export function holdsFile(node: BodyNode): boolean {
  if ('leaf' in node) return soleReference(node.leaf)?.kind === 'file';
  if ('items' in node) return node.items.some(holdsFile);
  return 'members' in node && node.members.some(([, member]) => holdsFile(member));
}

export function multipartIssues(node: BodyNode): Issue[] {
  if (!('members' in node)) return [{ path: 'body', message: `must be an object where it is ${MULTIPART_MEDIA_TYPE}` }];
  return node.members.flatMap(([name, member]) => {
    const leaves = 'items' in member ? member.items : [member];
    const message = 'is one part: a text, a number, a file, or a list of these';
    return leaves.every((leaf) => 'leaf' in leaf || 'constant' in leaf) ? [] : [{ path: `body.${name}`, message }];
  });
}

/** Texts by name, then files: some targets read no field that comes after a file. A database keeps no order of members. */
export function inOrderOfParts(members: readonly [string, BodyNode][]): [string, BodyNode][] {
  const rank = (node: BodyNode): number => (holdsFile(node) ? 1 : 0);
  return [...members].sort(([left, a], [right, b]) => rank(a) - rank(b) || (left < right ? -1 : 1));
}

/** From ids that are younger than the input, so that no value can hold it. The same at each preparation. */
export function boundaryOf({ invocationId, effectId }: RequestIdentity): string {
  return `form-${digestOf([invocationId, effectId]).slice('sha256:'.length, 'sha256:'.length + 32)}`;
}

/** The text of the body, with the mark of each file where its bytes go. */
export function renderMultipart(
  members: readonly [string, BodyNode][],
  boundary: string,
  rendering: Rendering,
): string {
  const parts = members.flatMap(([name, node]) => {
    const at = `adapter.config.body.${name}`;
    const nodes = 'items' in node ? node.items : [node];
    return nodes.flatMap((one) => partsOf(one, at, rendering)).map((part) => `${headOf(name, part)}${part.text}\r\n`);
  });
  return `${parts.map((part) => `--${boundary}\r\n${part}`).join('')}--${boundary}--\r\n`;
}

interface Part {
  text: string;
  file: { filename: string; contentType: string } | null;
}

function partsOf(node: BodyNode, at: string, rendering: Rendering): Part[] {
  if ('constant' in node) return textParts(node.constant, at, rendering);
  if (!('leaf' in node)) throw new Error(`${at} was refused as a part when it was written`);
  const reference = soleReference(node.leaf);
  if (reference?.kind !== 'file') return textParts(renderLeaf(node.leaf, at, rendering), at, rendering);
  const resolved = resolveReference(reference, rendering.scope);
  if (resolved.kind !== 'file') {
    rendering.issues.push({ path: reference.source.slice(2, -2), message: `is missing; ${at} needs it` });
    return [];
  }
  const { value, path } = resolved;
  const files: [ExactJson, string][] = Array.isArray(value)
    ? value.map((one, index) => [one, `${path}[${index}]`])
    : [[value, path]];
  return files.flatMap(([one, place]) => {
    const text = markOfFile(one, place, rendering);
    const file = rendering.files.at(-1);
    return text === '' || file === undefined ? [] : [{ text, file }];
  });
}

/** A value of the input may be a list too. */
function textParts(value: ExactJson, at: string, rendering: Rendering): Part[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => (Array.isArray(item) ? [] : textParts(item, at, rendering)));
  if (typeof value === 'object') {
    rendering.issues.push({ path: at, message: 'is an object, which cannot become a part of a form' });
    return [];
  }
  const text = String(value);
  if (!isWellFormed(text)) {
    rendering.issues.push({ path: at, message: 'is not well-formed Unicode' });
    return [];
  }
  return chargeText(text.length, rendering) ? [{ text, file: null }] : [];
}

function headOf(name: string, { file }: Part): string {
  const filename = file === null ? '' : `; filename="${quoted(file.filename)}"`;
  const type = file === null ? '' : `\r\nContent-Type: ${file.contentType}`;
  return `Content-Disposition: form-data; name="${quoted(name)}"${filename}${type}\r\n\r\n`;
}

/** As browsers write it (WHATWG, multipart/form-data encoding): nothing in a name ends the quoted text. */
function quoted(text: string): string {
  return text.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
