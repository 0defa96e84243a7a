/** How mail is encrypted: from the first byte, by STARTTLS, which the server must offer, or not at all. */
export const SMTP_TLS_MODES = ['starttls', 'implicit', 'off'] as const;
export type SmtpTls = (typeof SMTP_TLS_MODES)[number];

export interface SmtpSettings {
  host: string;
  port: number;
  tls: SmtpTls;
  /** Null when the server asks for no login. */
  login: { user: string; password: string } | null;
  from: string;
}

interface SmtpVariables {
  SMTP_ADDRESS: string | null;
  SMTP_TLS: SmtpTls;
  SMTP_USER: string | null;
  SMTP_PASSWORD: string | null;
  MAIL_FROM: string | null;
}

/** What is wrong with the variables together; one that is undefined is set, and wrong by itself. None of the messages holds a value. */
export function smtpProblems(given: { [Name in keyof SmtpVariables]?: unknown }): string[] {
  const isSet = (name: keyof SmtpVariables): boolean => given[name] !== null;
  const needs = (name: keyof SmtpVariables, other: keyof SmtpVariables): string[] =>
    isSet(name) && !isSet(other) ? [`${name} needs ${other}.`] : [];
  const inClear = isSet('SMTP_USER') && given['SMTP_TLS'] === 'off';
  return [
    ...needs('SMTP_ADDRESS', 'MAIL_FROM'),
    ...needs('SMTP_USER', 'SMTP_PASSWORD'),
    ...needs('SMTP_PASSWORD', 'SMTP_USER'),
    ...(inClear ? ['SMTP_TLS is off, and SMTP_USER would be sent in clear.'] : []),
  ];
}

/** Returns null when no mail server is configured. */
export function smtpSettingsOf(variables: SmtpVariables): SmtpSettings | null {
  const { SMTP_ADDRESS, SMTP_TLS, SMTP_USER, SMTP_PASSWORD, MAIL_FROM } = variables;
  if (SMTP_ADDRESS === null || MAIL_FROM === null) return null;
  const colon = SMTP_ADDRESS.lastIndexOf(':');
  return {
    host: SMTP_ADDRESS.slice(0, colon).replace(/^\[|\]$/g, ''),
    port: Number(SMTP_ADDRESS.slice(colon + 1)),
    tls: SMTP_TLS,
    login: SMTP_USER === null || SMTP_PASSWORD === null ? null : { user: SMTP_USER, password: SMTP_PASSWORD },
    from: MAIL_FROM,
  };
}
