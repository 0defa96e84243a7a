/** A thread whose work never ends. */
export default function busy(): never {
  for (;;);
}
