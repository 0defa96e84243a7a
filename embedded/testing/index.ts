/**
 * `agent-action-runtime/testing`: what a project needs to test its actions against the real service. The page is
 * docs/howto/test-your-actions.md.
 */
export { ApiError, type InvokeOptions, type TestClient, type TestInvocation } from './client.ts';
export {
  type Fault,
  type FakeTarget,
  startFakeTarget,
  type TargetAnswer,
  type TargetHandler,
  type TargetRequest,
} from './fake-target.ts';
export { type ReplayedHistory, type ReplayFailure, replayHistories } from './replay.ts';
export { type TestEnvironment, type TestKey, type TestStack, type TestStackOptions, startTestStack } from './stack.ts';
