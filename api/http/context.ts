import type Koa from 'koa';
import type { RequestOrigin } from '../../domain/forwarding.ts';
import type { TouchedIds } from '../../domain/touched-ids.ts';
import type { Upload } from '../threads/uploads.ts';
import type { AnyRoute, Caller, MemberCaller, UserCaller } from './define-route.ts';

export interface RequestState {
  requestId: string;
  origin: RequestOrigin;
  route?: AnyRoute;
  upload?: Upload;
  /** CSRF token of one of our forms, which cannot set a header. */
  formCsrfToken?: string;
  bodyBytes?: number;
  touched?: TouchedIds;
  caller?: Caller | MemberCaller | UserCaller;
}

export type HttpContext = Koa.ParameterizedContext<RequestState>;
export type HttpMiddleware = Koa.Middleware<RequestState>;
