/**
 * Shown and kept in place of a secret: a header's value, a sealed body, a credential that a target echoes. Clients compare with it
 * (docs/messages.md, "What is sent").
 */
export const REDACTED = '[REDACTED]';
