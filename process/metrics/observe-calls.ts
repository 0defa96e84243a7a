import type { Adapter, DispatchResult } from '../../activities/adapters/adapter.ts';
import type { AdapterFor } from '../../activities/adapters/index.ts';
import type { Sent, SendRequest } from '../../activities/adapters/http-request/send-request.ts';
import type { Recorder } from '../../domain/metrics/recorder.ts';
import type { ProcessMetrics } from './process-metrics.ts';

/** The two ways out of a worker, measured. Without METRICS_ADDRESS they are what they were. */
export function observedCalls(
  { isServed, recorder }: ProcessMetrics,
  calls: { adapterFor: AdapterFor; sendRequest: SendRequest },
): typeof calls {
  if (!isServed) return calls;
  const observed = new WeakMap<Adapter, Adapter>();
  return {
    adapterFor: (named) => {
      const adapter = calls.adapterFor(named);
      const known = observed.get(adapter) ?? observedAdapter(adapter, recorder);
      observed.set(adapter, known);
      return known;
    },
    sendRequest: (...sending) =>
      timed(
        () => calls.sendRequest(...sending),
        resultOfSending,
        (result, seconds) => recorder.observe('agent_actions_delivery_duration_seconds', { result }, seconds),
      ),
  };
}

function observedAdapter(real: Adapter, recorder: Recorder): Adapter {
  const adapter = real.descriptor.type;
  return {
    ...real,
    dispatch: (input) =>
      timed(
        () => real.dispatch(input),
        resultOfDispatch,
        (result, seconds) => recorder.observe('agent_actions_dispatch_duration_seconds', { adapter, result }, seconds),
      ),
    readBack: (input) =>
      timed(
        () => real.readBack(input),
        ({ kind }) => kind,
        (result, seconds) =>
          recorder.observe('agent_actions_provider_read_duration_seconds', { adapter, result }, seconds),
      ),
  };
}

const resultOfDispatch = (result: DispatchResult): string =>
  result.kind === 'answered' ? result.outcome : result.kind;

function resultOfSending(sent: Sent): string {
  return sent.kind === 'response' ? `${Math.floor(sent.response.status / 100)}xx` : sent.kind;
}

async function timed<T>(
  call: () => Promise<T>,
  resultOf: (value: T) => string,
  observe: (result: string, seconds: number) => void,
): Promise<T> {
  const startedAtMs = performance.now();
  const secondsSince = (): number => (performance.now() - startedAtMs) / 1_000;
  try {
    const value = await call();
    observe(resultOf(value), secondsSince());
    return value;
  } catch (error) {
    observe('broke_off', secondsSince());
    throw error;
  }
}
