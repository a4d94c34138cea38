import { DetailedError, Upload } from 'tus-js-client';
import { ApiError, signInAgain } from '../api/graphql.ts';
import { pauseMs } from '../api/patiently.ts';
import { problemText } from '../i18n/problem-of.ts';

/** Bytes per request: few enough for a slow connection to send within the time limit of a request. */
const pieceBytes = 16 * 2 ** 20;
/**
 * Files up to this size are sent with the request that starts their upload; if interrupted, they are sent again as a
 * whole.
 */
const wholeBytes = 8 * 2 ** 20;
/** Maximum number of times that a piece is sent again before its upload fails: a service may be down for days. */
const mostAttempts = 100_000;

export type UploadEvents = Readonly<{
  sent(bytes: number): void;
  /** Called with whether the upload is waiting for a service that does not answer; it continues by itself. */
  waits(isWaiting: boolean): void;
  done(srcPath: string): void;
  failed(reason: string): void;
}>;

/** A running upload. */
export type RunningUpload = Readonly<{ pause(): void }>;

/** Uploads a file. An upload that was started before, in another page or before a pause, resumes where it stopped. */
export function startUpload(file: File, events: UploadEvents): RunningUpload {
  let srcPath = '';
  let isPaused = false;
  const upload = new Upload(file, {
    endpoint: new URL('../uploads', location.href).href,
    chunkSize: pieceBytes,
    uploadDataDuringCreation: file.size <= wholeBytes,
    metadata: { filename: file.name, filetype: file.type },
    headers: { 'X-Vitrine-Console': '1' },
    retryDelays: Array.from({ length: mostAttempts }, (_, at) => pauseMs(at + 1)),
    removeFingerprintOnSuccess: true,
    onAfterResponse(_request, response) {
      events.waits(false);
      srcPath = decodeURI(response.getHeader('Src-Path') ?? srcPath);
    },
    onShouldRetry(error) {
      const status = error instanceof DetailedError ? (error.originalResponse?.getStatus() ?? 0) : 0;
      // The upload continues in the next session.
      if (status === 401) void signInAgain();
      const isPassing = [0, 401, 408, 409, 423, 429, 502, 503, 504].includes(status);
      if (isPassing) events.waits(true);
      return isPassing;
    },
    onProgress: (bytes) => events.sent(bytes),
    onSuccess: () => events.done(srcPath),
    onError: (error) => events.failed(reasonOf(error)),
  });
  void upload.findPreviousUploads().then(([previous]) => {
    if (isPaused) return;
    if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
    upload.start();
  });
  return {
    pause() {
      isPaused = true;
      void upload.abort();
    },
  };
}

function reasonOf(error: Error): string {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  try {
    const { detail = '', ...more } = JSON.parse(response?.getBody() ?? '') as Record<string, string>;
    return problemText(new ApiError(response?.getStatus() ?? 0, detail, more));
  } catch {
    return error.message;
  }
}
