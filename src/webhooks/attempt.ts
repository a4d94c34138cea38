import type { AddressGuard } from '../catalog/index.ts';
import type { Logger } from '../observability/logger.ts';

/** A message that this worker is sending. */
export type ClaimedMessage = Readonly<{
  id: number;
  messageId: string;
  type: string;
  /** The JSON as it is sent. */
  body: string;
  /** Attempts before this one. */
  attempts: number;
  webhookId: number;
  url: string;
  secret: Uint8Array;
  formerSecret: Uint8Array | null;
}>;

/** How an attempt ended. */
export type AttemptOutcome = Readonly<{
  isAccepted: boolean;
  /** Status of the reply; null if there is none. */
  status: number | null;
  /** Why it was not accepted. */
  error: string | null;
  /** Seconds that the receiver asks us to wait. */
  retryAfter: number;
}>;

/** Sends a message as an email. */
export type SendEmail = (message: ClaimedMessage) => Promise<AttemptOutcome>;

/** What sending messages depends on. */
export type SendDeps = Readonly<{
  logger: Logger;
  guard: AddressGuard;
  /** Null if no mail server is configured. */
  sendEmail: SendEmail | null;
}>;
