/**
 * Types of the API's operations, derived from the generated `schema.ts`: the paths of a method, and what each operation
 * takes and answers. This file has no code. `requests.ts` uses it, so that the compiler checks every request.
 */
import type { paths } from './schema';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Prefix = '/cabinet/api/';
/** By path template without the prefix, such as `runs/{id}`, then by method in lower case. */
type Operations = {
  [Path in keyof paths as Path extends `${Prefix}${infer Rest}` ? Rest : never]: paths[Path];
};
type Operation<M extends Method, Path> = Path extends keyof Operations
  ? Operations[Path][Lowercase<M> & keyof Operations[Path]]
  : never;

type Status = 101 | 200 | 201 | 202 | 204;
type Replies<Of> = Of extends { responses: infer All } ? All[Status & keyof All] : never;
/** Never for an operation that replies with something other than JSON. */
type JsonReply<Reply> = Reply extends { content: infer Content }
  ? Content extends { 'application/json': infer Json }
    ? Json
    : never
  : void;
type Media<Reply> = Reply extends { content: infer Content } ? keyof Content : never;

/** What an operation answers: JSON, or nothing. */
export type Answer<M extends Method, Path> = JsonReply<Replies<Operation<M, Path>>>;
export type Body<M extends Method, Path> =
  Operation<M, Path> extends { requestBody: { content: { 'application/json': infer Json } } }
    ? Json
    : never;
export type Query<M extends Method, Path> =
  Operation<M, Path> extends { parameters: { query?: infer Given } } ? NonNullable<Given> : never;

/** The path templates that have this method and answer with JSON or nothing. */
export type JsonPath<M extends Method> = {
  [Path in keyof Operations]: Operation<M, Path> extends { responses: { 101: unknown } }
    ? never
    : Operation<M, Path> extends { responses: object }
      ? Exclude<Media<Replies<Operation<M, Path>>>, 'application/json'> extends never
        ? Path
        : never
      : never;
}[keyof Operations];

/** The path templates whose answer to GET is a text or a file. */
export type FilePath = {
  [Path in keyof Operations]: [
    Exclude<Media<Replies<Operation<'GET', Path>>>, 'application/json'>
  ] extends [never]
    ? never
    : Path;
}[keyof Operations];

type SocketTemplate = {
  [Path in keyof Operations]: Operation<'GET', Path> extends { responses: { 101: unknown } }
    ? Path
    : never;
}[keyof Operations];
type Filled<Path> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path;
/** The path of a WebSocket, with its parameters filled in. */
export type SocketPath = Filled<SocketTemplate>;
export type SocketQuery = Query<'GET', SocketTemplate>;

type ParameterName<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;
type OfPath<Path> = [ParameterName<Path>] extends [never]
  ? { path?: never }
  : { path: Record<ParameterName<Path>, string | number> };
type OfQuery<Given> = [Given] extends [never] ? { query?: never } : { query?: Given };
type OfBody<Json> = [Json] extends [never] ? { body?: never } : { body: Json };

/** The arguments of an operation: `path`, `query` and `body`, each only where the operation has it. */
export type Arguments<M extends Method, Path> = OfPath<Path> &
  OfQuery<Query<M, Path>> &
  OfBody<Body<M, Path>>;
/** The arguments of a call. They may be left out if none is required. */
export type Call<M extends Method, Path, More = unknown> =
  Record<never, never> extends Arguments<M, Path>
    ? [options?: Arguments<M, Path> & More]
    : [options: Arguments<M, Path> & More];
