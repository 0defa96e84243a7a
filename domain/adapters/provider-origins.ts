/** Where the providers are reached unless a configuration says otherwise, and what a preview shows in any case. */
export const PROVIDER_ORIGINS = {
  stripe: 'https://api.stripe.com',
  resend: 'https://api.resend.com',
} as const;
