import { z } from 'zod';

const smtpUrl = z
  .string()
  .refine((value) => /^smtps?:\/\//.test(value) && URL.canParse(value) && new URL(value).hostname !== '', {
    error: 'must be an address such as smtp://user:password@host:587, or begin with smtps://',
  });

/** The variables of email. */
export const emailVariables = {
  SMTP_URL: {
    schema: smtpUrl.optional(),
    meaning: 'Server that sends email to webhooks with a `mailto:` address: `smtp://user:password@host:587`',
  },
  SMTP_FROM: {
    schema: z
      .string()
      .regex(/^[^\s@<>]+@[^\s@<>]+$/, { error: 'must be an email address' })
      .default('vitrine@localhost'),
    meaning: 'Sender of emails',
  },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

/** How email is sent. */
export type EmailConfig = Readonly<{ smtpUrl: string; from: string }>;

type Values = Readonly<{ SMTP_URL?: string | undefined; SMTP_FROM: string }>;

/** Null if no server is configured. */
export function toEmailConfig({ SMTP_URL: smtpUrl, SMTP_FROM: from }: Values): EmailConfig | null {
  return smtpUrl === undefined ? null : { smtpUrl, from };
}
