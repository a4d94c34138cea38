import { readFile } from 'node:fs/promises';
import { createAsset } from '../http/reply/asset.ts';
import type { SendPage } from '../http/reply/page.ts';
import { redirectPage } from '../http/reply/redirect.ts';
import { sendReply } from '../http/reply/send.ts';
import { consoleFiles, consolePath, sessionPath } from './console-files.ts';
import { createSessionEndpoint } from './session.ts';
import type { SessionDeps } from './session.ts';

/** Allows no inline scripts or styles, and nothing from other origins. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = [
  ...['Content-Security-Policy', policy, 'Referrer-Policy', 'no-referrer', 'X-Frame-Options', 'DENY'],
  ...['Cross-Origin-Opener-Policy', 'same-origin', 'Cross-Origin-Resource-Policy', 'same-origin'],
];

const aYear = 'public, max-age=31536000, immutable';

/** Serves the console in `dist/console` and its sessions; if it was not built, the reply says so. */
export function createConsole(deps: SessionDeps): Readonly<Record<string, SendPage>> {
  const served = consoleFiles.map(({ path, file, type, isHashed }): [string, SendPage] => {
    const cache = isHashed ? aYear : 'no-cache';
    const send = createAsset({ type, cache, headers: isHashed ? [] : pageHeaders, read: () => readFile(file) });
    return [path, path === consolePath ? withSlash(send) : send];
  });
  return {
    [sessionPath]: createSessionEndpoint(deps),
    [consolePath]: sendMissing,
    ...Object.fromEntries(served),
  };
}

/** The page's links are relative to a folder, so its address ends with a slash. */
function withSlash(send: SendPage): SendPage {
  return async (exchange) => {
    const [path] = exchange.target.split('?', 1);
    return path === consolePath ? redirectPage(exchange, `${consolePath.slice(1)}/`) : send(exchange);
  };
}

const sendMissing: SendPage = async (exchange) =>
  sendReply(exchange, {
    status: 404,
    body: { detail: 'The console is not built', code: 'not_found', hint: 'Run npm run build and start again' },
  });
