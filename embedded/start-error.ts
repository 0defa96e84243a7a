/** What keeps the stack from starting and what the reader can do about it; printed without a stack trace. */
export class StartError extends Error {}
