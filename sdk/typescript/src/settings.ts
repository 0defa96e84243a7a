export interface ClientSettings {
  baseUrl: string;
  apiKey: string;
}

/**
 * Where the service is and with what key, from the options or else from `BASE_URL` and `API_KEY` of the environment, where there is one.
 *
 * @throws {TypeError}
 */
export function settingsOf(given: { baseUrl?: string | undefined; apiKey?: string | undefined }): ClientSettings {
  const baseUrl = given.baseUrl ?? fromEnvironment('BASE_URL');
  const apiKey = given.apiKey ?? fromEnvironment('API_KEY');
  if (baseUrl === undefined) throw new TypeError('Say where the service is: set BASE_URL, or give baseUrl.');
  if (apiKey === undefined) throw new TypeError('Say with what key: set API_KEY, or give apiKey.');
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError(`baseUrl is no http or https URL: ${baseUrl}`);
  // The message must not show it.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('The API key holds characters that no header can carry.');
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
}

function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}
