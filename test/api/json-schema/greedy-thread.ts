/** A thread whose work fills its heap. */
export default function greedy(): never {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 1_000 }, Math.random));
}
