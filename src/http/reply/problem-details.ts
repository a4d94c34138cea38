import { problemType } from '../../lib/http-contract.ts';
import type { Problem, Reply } from '../../lib/http-contract.ts';

/** Whether an `Accept` header contains that type; wildcards do not count. */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(problemType)) return false;
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === problemType && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** The request that a problem belongs to. */
type Occurrence = Readonly<{ requestId: string; title: string; target?: string }>;

/** The body of an error by RFC 9457; null if the reply is not an error with a `detail`. */
export function toProblemDetails(
  { status, body, problem }: Reply,
  { requestId, title, target }: Occurrence,
): Record<string, unknown> | null {
  if (status < 400 || typeof body !== 'object' || body === null || !('detail' in body)) return null;
  const { detail, status: _, ...more } = body as Readonly<Record<string, unknown>>;
  const errors = Array.isArray(detail) ? (detail as readonly Problem[]) : null;
  const code = more['code'] ?? (errors === null ? undefined : 'validation_error');
  return {
    type: code === undefined ? 'about:blank' : `urn:problem-type:${String(code).replaceAll('_', '-')}`,
    title,
    status,
    detail: errors === null ? detail : summarize(errors),
    ...(target !== undefined && { instance: target }),
    request_id: requestId,
    ...(code !== undefined && { code }),
    ...more,
    ...problem,
    ...(errors !== null && { errors }),
  };
}

/** The text of the first error, and the number of others. */
function summarize(errors: readonly Problem[]): string {
  const [first] = errors;
  if (first === undefined) return 'The request is not valid';
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  return `${first.loc.join('.')}: ${first.msg}${more}`;
}
