import type { Json } from '../../domain/json.ts';
import { PRESET_SCOPES } from '../../domain/scopes.ts';
import type { AnyRoute } from '../http/define-route.ts';
import type { OperationExample } from '../reference/describe-with-examples.ts';

const LINE_CHARACTERS_MAX = 80;

/** The recorded request as a curl command, with the variables of docs/identity.md, "What the examples use". */
export function curlOf(route: AnyRoute, { params = {}, query = {}, body }: OperationExample['request']): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(params[name] ?? whole));
  const search = new URLSearchParams(query).toString();
  const address = `$BASE${path}${search === '' ? '' : `?${search}`}`;
  const lines = [
    `curl -sS${route.method === 'GET' ? '' : ` -X ${route.method}`} ${search === '' ? address : `"${address}"`}`,
    ...credentialOf(route),
    ...bodyOf(route, body),
  ];
  return lines.join(' \\\n  ');
}

function credentialOf(route: AnyRoute): string[] {
  if (route.of === 'public') return [];
  if (route.of === 'user' || route.of === 'workspace') {
    return ['-b $JAR', ...(route.method === 'GET' ? [] : ['-H "Origin: $BASE" -H "X-CSRF-Token: $CSRF"'])];
  }
  return [`-H "Authorization: Bearer $${keyFor(route)}"`];
}

/** The key of `npm start` with the fewest scopes. */
function keyFor({ scope }: AnyRoute): 'AGENT' | 'OPERATOR' | 'PUBLISHER' {
  if (scope === null || PRESET_SCOPES.agent.includes(scope)) return 'AGENT';
  return PRESET_SCOPES.full_access.includes(scope) ? 'OPERATOR' : 'PUBLISHER';
}

function bodyOf(route: AnyRoute, body: OperationExample['request']['body']): string[] {
  if (body === undefined) return [];
  const types = route.streamedBody === undefined ? ['application/json'] : [route.streamedBody.mediaType ?? []].flat();
  if (types[0] === 'multipart/form-data') return multipartOf(typeof body === 'string' ? body : '');
  const type = `-H 'Content-Type: ${types[0] ?? 'application/octet-stream'}'`;
  return typeof body === 'string' ? [type, `--data-binary ${quoted(body)}`] : [type, `-d ${quoted(jsonText(body))}`];
}

export function jsonText(value: Json): string {
  const line = JSON.stringify(value);
  return line.length <= LINE_CHARACTERS_MAX ? line : JSON.stringify(value, null, 2);
}

function multipartOf(body: string): string[] {
  const parts = [
    ...body.matchAll(/name="(\w+)"(?:; filename="([^"]+)")?\r\n(?:Content-Type: ([^\r\n]+)\r\n)?\r\n([^\r]*)/g),
  ];
  return parts.map(([, name = '', file, type, value = '']) =>
    file === undefined ? `-F ${quoted(`${name}=${value}`)}` : `-F ${quoted(`${name}=@${file};type=${type ?? ''}`)}`,
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
