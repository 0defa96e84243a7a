/** A thread whose work fails. */
export default function failing(): never {
  throw new Error('ours');
}
