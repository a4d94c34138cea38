import type { Exports } from '../exports/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { pathOf } from '../http/request/routes.ts';
import { sendReply } from '../http/reply/send.ts';
import type { Reply } from '../lib/http-contract.ts';
import { sendFile } from './file-endpoint.ts';
import { forbiddenReply, refuseShown } from './refuse-shown.ts';
import { askedPartOf } from './asked-part.ts';

/** Path of exported files: `/downloads/SIGNED`. */
const pattern = /^\/downloads\/([\w-]{1,200})$/;

const gone: Reply = { status: 404, body: { detail: 'This file no longer exists', code: 'not_found' } };

/** Streams exported files, or parts of them. */
export function createDownloadEndpoint(exports: Exports | undefined): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const [, text = ''] = pattern.exec(pathOf(exchange.target)) ?? [];
    const address = (await exports?.verify(text)) ?? null;
    if (exports === undefined || address === null) return sendReply(exchange, forbiddenReply);
    exchange.chargeTo({ tenantId: address.tenantId, keyId: 0 });
    const asked = askedPartOf(exchange);
    const file = await exports.download(address, asked).catch(refuseShown);
    if (file === null) return sendReply(exchange, gone);
    try {
      await sendFile(exchange, file, ['Content-Disposition', `attachment; filename="${file.name}"`]);
    } finally {
      await file.close();
    }
  };
}
