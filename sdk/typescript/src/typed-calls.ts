import type { paths } from './generated/api.ts';

/** The types of a call, from the generated declarations. */

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
export type PathsOf<M extends Method> = {
  [P in keyof paths]: Lowercase<M> extends keyof paths[P] ? P : never;
}[keyof paths];
export type OperationOf<M extends Method, P extends PathsOf<M>> =
  Lowercase<M> extends keyof paths[P] ? paths[P][Lowercase<M>] : never;

type ParameterOf<O, Place extends 'path' | 'query'> = O extends { parameters: { [K in Place]?: infer T } }
  ? Exclude<T, undefined>
  : never;
type MemberOf<Name extends string, T> = [T] extends [never]
  ? { [K in Name]?: never }
  : object extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { body?: B }
    : { body?: never };

export interface CallOptions {
  /** For a change whose operation takes it; a new one by default. Name the key of an earlier call to ask again what became of it. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export type InitOf<O> = MemberOf<'path', ParameterOf<O, 'path'>> &
  MemberOf<'query', ParameterOf<O, 'query'>> &
  BodyOf<O> &
  CallOptions;
/** The argument may be left out where nothing in it is required. */
export type InitArguments<O> = object extends InitOf<O> ? [init?: InitOf<O>] : [init: InitOf<O>];

type SuccessOf<O> = O extends { responses: infer R }
  ? { [S in keyof R]: R[S] extends { content: { 'application/json': infer C } } ? C : never }[keyof R]
  : never;
/** The `data` of the reply. */
export type DataOf<O> = SuccessOf<O> extends infer S ? (S extends { data: infer D } ? D : never) : never;

/** The lists, and what is in them. */
export type ListPaths = {
  [P in PathsOf<'GET'>]: SuccessOf<OperationOf<'GET', P>> extends { pagination: unknown } ? P : never;
}[PathsOf<'GET'>];
export type ItemOf<O> = DataOf<O> extends readonly (infer T)[] ? T : never;
