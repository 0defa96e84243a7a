import type { AnyRoute } from '../../../api/http/define-route.ts';
import { ACCESS_SUITES } from './access-suites.ts';
import { CHANGE_SUITES } from './change-suites.ts';
import {
  acceptedSuite,
  atomicReplySuite,
  conformanceSuite,
  type CrashBeforeReply,
  REPLY_SUITES,
} from './reply-suites.ts';
import { methodSuite, REQUEST_SUITES } from './request-suites.ts';
import type { Suite } from './suite.ts';

/** Every suite, for a route list. */
export function suitesOver(routes: readonly AnyRoute[], crash: CrashBeforeReply): readonly Suite[] {
  return [
    ...ACCESS_SUITES,
    ...REQUEST_SUITES,
    methodSuite(routes),
    conformanceSuite(routes),
    acceptedSuite(routes),
    ...REPLY_SUITES,
    ...CHANGE_SUITES,
    atomicReplySuite(crash),
  ];
}
