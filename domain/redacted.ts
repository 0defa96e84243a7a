/** Stands for a secret: a header's value, a sealed body, an echoed credential (docs/messages.md, "What is sent"). */
export const REDACTED = '[REDACTED]';
