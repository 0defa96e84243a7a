import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { NotImportable } from './references.ts';

/**
 * The first usable server of the operation, its path or the document. Variables take their defaults; relative URLs
 * resolve against the document's. Throws NotImportable where there is none.
 */
export function serverUrl(lists: readonly (Json | undefined)[], baseUrl: string | null): string {
  const servers = lists.find((list): list is Json[] => Array.isArray(list) && list.length > 0) ?? [{ url: '/' }];
  for (const server of servers) {
    const url = isJsonObject(server) ? usableUrl(server, baseUrl) : null;
    if (url !== null) return url;
  }
  throw new NotImportable(
    baseUrl === null
      ? 'has no server with an absolute http or https URL; import by url where the servers are relative'
      : 'has no server with an http or https URL',
  );
}

function usableUrl(server: JsonObject, baseUrl: string | null): string | null {
  const filled = filledIn(server);
  if (filled === null || !URL.canParse(filled, baseUrl ?? undefined)) return null;
  const url = new URL(filled, baseUrl ?? undefined);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '' || url.search !== '') return null;
  url.hash = '';
  // A brace in the URL must never be read as a template.
  return url.href.replace(/\/+$/, '').replaceAll('{', '%7B').replaceAll('}', '%7D');
}

function filledIn(server: JsonObject): string | null {
  const { url, variables } = server;
  if (typeof url !== 'string' || url.length > 2_000) return null;
  let isWhole = true;
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = isJsonObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isJsonObject(variable) ? variable['default'] : undefined;
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    isWhole = false;
    return '';
  });
  return isWhole ? filled : null;
}
