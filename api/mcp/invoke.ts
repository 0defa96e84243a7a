import type { JsonObject } from '../../domain/json.ts';
import { isOpen } from '../../domain/lifecycle.ts';
import { RequestAbortedError } from '../http/client-gone.ts';
import { describeFailure } from '../../domain/failures.ts';
import { requireScope } from '../http/rights.ts';
import { getInvocationRoute, invokeRoute } from '../invocations/routes.ts';
import { type Call, callRoute } from './exchange.ts';
import { Progress } from './progress.ts';
import { decideAt, type ShownInvocation } from './replies.ts';

export interface Invoking {
  ref: string;
  body: JsonObject;
  /** How long to wait for a decision or for the end of the invocation. */
  waitSeconds: number;
}

/** Invokes an action as the route does, then waits as `GET …/invocations/{id}?wait=` does. A disconnecting client ends only the wait. */
export async function invoke(call: Call, { ref, body, waitSeconds }: Invoking): Promise<ShownInvocation> {
  const { exchange } = call;
  // Checked before anything is sent: a later refusal would read as if nothing had been.
  if (waitSeconds > 0) requireScope(exchange.caller, getInvocationRoute);
  const progress = new Progress(call);
  const invoked = await progress.during(`${ref} is under way`, () =>
    callRoute(exchange, invokeRoute, { params: { ref }, body }),
  );
  const invocation = invoked.data as ShownInvocation;
  if (waitSeconds === 0 || !isOpen(invocation.status)) return invocation;
  const place = decideAt(exchange, invocation);
  const waitsFor = place === null ? 'its end' : `a decision at ${place}`;
  progress.tell(`${invocation.id} waits for ${waitsFor}`);
  try {
    return await progress.during(`${invocation.id} waits for ${waitsFor}`, () =>
      waitForEnd(call, invocation.id, waitSeconds),
    );
  } catch (error) {
    if (error instanceof RequestAbortedError) throw error;
    // The action was invoked and the client must learn its id: an error would deny that.
    exchange.runner.deps.logger.warn({ failure: describeFailure(error) }, 'the wait for an invocation failed');
    return invocation;
  }
}

export async function waitForEnd({ exchange }: Call, id: string, waitSeconds: number): Promise<ShownInvocation> {
  const { data } = await callRoute(exchange, getInvocationRoute, { params: { id }, query: { wait: waitSeconds } });
  return data as ShownInvocation;
}
