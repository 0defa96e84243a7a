import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { NotImportable, resolveObject, textIn } from './references.ts';

export interface Credentials {
  headers: Record<string, string>;
  query: Record<string, string>;
  cookies: Record<string, string>;
}

interface SecurityOptions {
  /** The name of the secret to use instead of the derived name. */
  secret: string | null;
  host: string;
}

const SECRET_NAME_CHARACTERS_MAX = 64;

/**
 * The first alternative that can be written, those without `basic` first: its secret must be base64 already. One
 * without schemes counts in order, unless the caller named a secret. Throws NotImportable where there is none.
 */
export function credentialsOf(root: JsonObject, operation: JsonObject, options: SecurityOptions): Credentials {
  const schemes = isJsonObject(root['components']) ? root['components']['securitySchemes'] : undefined;
  const declared = operation['security'] ?? root['security'];
  if (declared === undefined) {
    const isSilent = !isJsonObject(schemes) || Object.keys(schemes).length === 0;
    // GitHub's description declares no credentials at all. A secret that the caller names then goes into the usual header.
    return options.secret !== null && isSilent ? bearer(options.secret) : none();
  }
  const alternatives = Array.isArray(declared) ? declared.filter((entry) => isJsonObject(entry)) : [];
  const wanted = alternatives.filter((entry) => options.secret === null || Object.keys(entry).length > 0);
  if (wanted.length === 0) return none();
  const faults: string[] = [];
  const written = wanted.flatMap((alternative) => {
    const result = alternativeOf(root, schemes, Object.keys(alternative), options);
    if (typeof result !== 'string') return [result];
    faults.push(result);
    return [];
  });
  const chosen = written.find(({ isBasic }) => !isBasic) ?? written[0];
  if (chosen === undefined) throw new NotImportable(`needs a credential that cannot be written: ${faults[0] ?? ''}`);
  return chosen.credentials;
}

const none = (): Credentials => ({ headers: {}, query: {}, cookies: {} });
const reference = (name: string): string => `{{secret:${name}}}`;
const bearer = (name: string): Credentials => ({
  ...none(),
  headers: { Authorization: `Bearer ${reference(name)}` },
});

type Alternative = { credentials: Credentials; isBasic: boolean };

/** All schemes of one alternative together, or why they cannot be written. */
function alternativeOf(
  root: JsonObject,
  schemes: Json | undefined,
  names: readonly string[],
  options: SecurityOptions,
): Alternative | string {
  const credentials = none();
  let isBasic = false;
  for (const name of names) {
    const declared = isJsonObject(schemes) && Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    const scheme = resolveObject(root, declared);
    if (scheme === null) return `the scheme ${name.slice(0, 100)} is not declared`;
    const secret = secretNameOf(name, names.length > 1, options);
    const fault = addScheme(credentials, scheme, secret);
    if (fault !== null) return `${name.slice(0, 100)} ${fault}`;
    isBasic ||= textIn(scheme['scheme']).toLowerCase() === 'basic';
  }
  return { credentials, isBasic };
}

function addScheme(credentials: Credentials, scheme: JsonObject, secret: string): string | null {
  const { type, name, in: place } = scheme;
  if (type === 'apiKey') {
    if (typeof name !== 'string' || ['', '__proto__'].includes(name) || name.includes('{{'))
      return 'has no usable name';
    if (place !== 'header' && place !== 'query' && place !== 'cookie') return 'is in no place that is known';
    const target = { header: credentials.headers, query: credentials.query, cookie: credentials.cookies }[place];
    target[name] = reference(secret);
    return null;
  }
  const httpScheme = type === 'http' ? textIn(scheme['scheme']).toLowerCase() : null;
  if (httpScheme === 'basic') credentials.headers['Authorization'] = `Basic ${reference(secret)}`;
  else if (httpScheme === 'bearer' || type === 'oauth2' || type === 'openIdConnect') {
    credentials.headers['Authorization'] = `Bearer ${reference(secret)}`;
  } else return `is of the type ${(httpScheme ?? textIn(type)).slice(0, 50)}, which is not supported`;
  return null;
}

/** Begins with the secret's host, so that a document cannot refer to another host's credential by a scheme's name. */
function secretNameOf(scheme: string, isOneOfSeveral: boolean, { secret, host }: SecurityOptions): string {
  const own = scheme.replaceAll(/[^A-Za-z0-9_-]/g, '-');
  if (secret !== null) return isOneOfSeveral ? fitted(`${secret}_${own}`, `${secret} ${scheme}`) : secret;
  const place = host
    .toLowerCase()
    .replace(/:(\d+)$/, '_$1')
    .replaceAll(/[^a-z0-9_.-]/g, '-');
  return fitted(`${/^[a-z]/.test(place) ? '' : 'host-'}${place}.${own}`, `${host} ${scheme}`);
}

function fitted(name: string, whole: string): string {
  if (name.length <= SECRET_NAME_CHARACTERS_MAX) return name;
  const hash = createHash('sha256').update(whole, 'utf8').digest('hex').slice(0, 12);
  return `${name.slice(0, SECRET_NAME_CHARACTERS_MAX - 13)}-${hash}`;
}
