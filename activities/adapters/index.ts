import type { Adapter } from './adapter.ts';
import { createHttpRequestAdapter } from './http-request/http-request-adapter.ts';
import type { HttpRequestAdapterOptions } from './http-request/http-request-adapter.ts';
import { sendRequest, type SendRequest } from './http-request/send-request.ts';

export type AdapterOptions = HttpRequestAdapterOptions;

/** Finds an adapter by the type and version that an action version names; throws where neither is built in. */
export type AdapterFor = (type: string, version: string) => Adapter;

/** The adapters of a worker, wired with what they may reach. */
export function createAdapters(options: AdapterOptions): AdapterFor {
  const adapters: readonly Adapter[] = [createHttpRequestAdapter(options)];
  return (type, version) => {
    const found = adapters.find(({ descriptor }) => descriptor.type === type && descriptor.version === version);
    if (found === undefined) throw new Error(`no adapter ${type} of version ${version}`);
    return found;
  };
}

/** What carries the deliveries of messages: the same guard, the same one connection for one request. */
export function createSender(options: AdapterOptions): SendRequest {
  return (request, limit, limits) => sendRequest(options, request, limit, limits);
}
