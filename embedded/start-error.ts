/** Says why the stack cannot start and what the reader can do about it. Printed without a stack trace. */
export class StartError extends Error {}
