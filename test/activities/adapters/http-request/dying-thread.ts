/** A thread that ends in the middle of its work. */
export default function dying(): never {
  process.exit(1);
}
