import type Koa from 'koa';
import type { RequestOrigin } from '../../domain/forwarding.ts';
import type { TouchedIds } from '../../domain/touched-ids.ts';
import type { Upload } from '../threads/uploads.ts';
import type { AnyRoute, Caller, MemberCaller, UserCaller } from './define-route.ts';

/** What the machinery keeps of one request. */
export interface RequestState {
  requestId: string;
  /** Where it came from, as far as that can be trusted. */
  origin: RequestOrigin;
  /** Set once the path and method are known. */
  route?: AnyRoute;
  /** Set while the process holds a large body, of which it allows only a few. */
  upload?: Upload;
  /** The CSRF token in a form of our pages: a form cannot set the header. */
  formCsrfToken?: string;
  /** The size of the body, once it was read. */
  bodyBytes?: number;
  /** The records that the path and the reply name, for the log. */
  touched?: TouchedIds;
  /** Set once the caller is authenticated. */
  caller?: Caller | MemberCaller | UserCaller;
}

export type HttpContext = Koa.ParameterizedContext<RequestState>;
export type HttpMiddleware = Koa.Middleware<RequestState>;
