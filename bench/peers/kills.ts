import { setTimeout as delay } from 'node:timers/promises';
import { callJson } from '../../embedded/http-json.ts';
import { type Answer, type Peer, type Side, type SideName } from './side.ts';

/** What the kills did to one side's guarantee. */
export interface Guarantee {
  kills: number;
  /** Calls that the target saw again. */
  secondCalls: number;
  /** Reserved beyond one for each key; null for a side that reserves nothing. */
  overReservations: number | null;
  /** Answers that are not on record, or that a repeat of the key does not get; and keys that never got one. */
  lostAnswers: number;
  /** How often each outcome was the answer to a key whose first call was killed. */
  outcomes: Record<string, number>;
}

/** A client asks again until it has an outcome. */
const AGAIN_MS = 200;
/** From its first call, and from the last kill: a kill may cost a side its next attempt, and so a longer back-off. */
const ANSWER_WITHIN_MS = 120_000;

/** Until when clients ask: it is not known before the last kill. */
interface Patience {
  untilMs: number;
}

/** One key: its message, and the first final answer that its client got. */
interface Asked {
  key: string;
  message: string;
  isKilled: boolean;
  answered: Promise<Answer | null>;
}

/**
 * Kills a peer's process so often, each time while the target holds a call of each of its sides, and starts it again.
 * The client of each key repeats it until it has a final answer, also through the kills that follow. Before each kill,
 * one call of each side is answered.
 */
export async function killOften(
  peer: Peer,
  targetUrl: string,
  kills: number,
  onKill: (number: number) => void,
): Promise<Partial<Record<SideName, Guarantee>>> {
  const before = new Map<Side, number | null>();
  for (const side of peer.sides) before.set(side, await side.reserved());
  const asked = new Map<Side, Asked[]>(peer.sides.map((side) => [side, []]));
  const patience: Patience = { untilMs: Infinity };
  for (let number = 1; number <= kills; number++) {
    await Promise.all(peer.sides.map(async (side) => asked.get(side)?.push(await askAnswered(side))));
    const held = peer.sides.map((side) => askHeld(side, targetUrl));
    await Promise.all(held.map(({ isHeld }) => isHeld));
    await peer.kill();
    await peer.start();
    for (const { side, again } of held) asked.get(side)?.push(again(patience));
    onKill(number);
  }
  patience.untilMs = performance.now() + ANSWER_WITHIN_MS;
  const guarantees: Partial<Record<SideName, Guarantee>> = {};
  for (const [side, keys] of asked) {
    guarantees[side.name] = await judge(side, keys, before.get(side) ?? null, { targetUrl, kills });
  }
  return guarantees;
}

async function askAnswered(side: Side): Promise<Asked> {
  const key = crypto.randomUUID();
  const answer = await untilFinal(side, key, 'hello', { untilMs: performance.now() + ANSWER_WITHIN_MS });
  return { key, message: 'hello', isKilled: false, answered: Promise.resolve(answer) };
}

/**
 * Sends a key whose call the target holds. `again`, after the kill, repeats the key once the first request is lost;
 * with a server before the killed process it may be answered yet.
 */
function askHeld(
  side: Side,
  targetUrl: string,
): { side: Side; isHeld: Promise<unknown>; again: (patience: Patience) => Asked } {
  const key = crypto.randomUUID();
  const message = `hold ${key}`;
  const first = side.send(key, message).catch(() => null);
  const isHeld = callJson(new URL(`/held?message=${encodeURIComponent(message)}`, targetUrl).href);
  const answerOf = async (patience: Patience): Promise<Answer | null> => {
    const answer = await first;
    return answer !== null && answer.outcome !== null ? answer : untilFinal(side, key, message, patience);
  };
  const again = (patience: Patience): Asked => ({ key, message, isKilled: true, answered: answerOf(patience) });
  return { side, isHeld, again };
}

/** Null where no final answer came in time. */
async function untilFinal(side: Side, key: string, message: string, patience: Patience): Promise<Answer | null> {
  while (performance.now() < patience.untilMs) {
    const answer = await side.send(key, message).catch(() => null); // killed, or not yet there
    if (answer !== null && answer.outcome !== null) return answer;
    await delay(AGAIN_MS);
  }
  return null;
}

async function judge(
  side: Side,
  keys: readonly Asked[],
  reservedBefore: number | null,
  { targetUrl, kills }: { targetUrl: string; kills: number },
): Promise<Guarantee> {
  const outcomes: Record<string, number> = {};
  let [secondCalls, lostAnswers] = [0, 0];
  for (const { key, message, isKilled, answered } of keys) {
    const answer = await answered;
    if (answer === null || !(await isKept(side, { key, message, answer }))) lostAnswers += 1;
    if (!isKilled) continue;
    const { body } = await callJson(new URL(`/times?message=${encodeURIComponent(message)}`, targetUrl).href);
    if ((body as { count: number }).count > 1) secondCalls += 1;
    const outcome = answer?.outcome ?? 'none';
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  const reserved = await side.reserved();
  const overReservations =
    reserved === null || reservedBefore === null ? null : reserved - reservedBefore - keys.length;
  return { kills, secondCalls, overReservations, lostAnswers, outcomes };
}

/** Whether the answer is on record, and the same key gets the same one. */
async function isKept(
  side: Side,
  { key, message, answer }: { key: string; message: string; answer: Answer },
): Promise<boolean> {
  const again = await side.send(key, message);
  const { outcome } = answer;
  return again.status === answer.status && again.text === answer.text && (await side.recorded(key, answer)) === outcome;
}
