import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { listReceipts, readReceipt, verifyReceipts, type TenantId } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/answer.js';
import { NoQuery, ReceiptListQuery } from '../http/asks.js';
import { asked } from '../http/asked.js';
import { readQuery } from '../http/read.js';
import { gone, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { receiptRoutes as routes } from './receipt-routes.js';

const exportPage = 500;

@Controller()
export class ReceiptsController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.listReceipts)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { cursor, tool, outcome, principal, since, limit } = readQuery(request.query, ReceiptListQuery);
    const { receipts, next, checkpoint } = await asked(this.bus, listReceipts, {
      tenant: callerOf(request).principal.tenant,
      ...(tool === undefined ? {} : { tool }),
      ...(outcome === undefined ? {} : { outcome }),
      ...(principal === undefined ? {} : { principal }),
      ...(since === undefined ? {} : { since }),
      after: cursor ?? 0,
      limit,
    });
    sendJson(reply, {
      receipts,
      ...(next === undefined ? {} : { next_cursor: String(next) }),
      ...(checkpoint === undefined ? {} : { truncated_through: checkpoint.through_seq }),
    });
  }

  @Serves(routes.exportReceipts)
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { tenant } = callerOf(request).principal;
    const first = await this.page(tenant, 0);
    await reply
      .code(200)
      .headers({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
      .send(Readable.from(this.lines(tenant, first)));
  }

  @Serves(routes.verifyReceipts)
  async verify(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { tenant } = callerOf(request).principal;
    sendJson(reply, await asked(this.bus, verifyReceipts, { tenant }));
  }

  @Serves(routes.readReceipt)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { tenant } = callerOf(request).principal;
    const text = pathParameter(request, 'seq');
    const seq = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
    const answer = seq === undefined ? undefined : await asked(this.bus, readReceipt, { tenant, seq });
    if (answer?.kind === 'truncated') {
      const { through_seq } = answer;
      const message = `Receipts up to ${through_seq} were removed by retention; a signed checkpoint stands for them.`;
      throw gone('receipt_truncated', message, { through_seq });
    }
    if (answer?.kind !== 'found') throw notFound('There is no receipt of this number.');
    sendJson(reply, answer.receipt);
  }

  private page(tenant: TenantId, after: number) {
    return asked(this.bus, listReceipts, { tenant, after, limit: exportPage });
  }

  /**
   * Before the receipts, the checkpoint of a chain that begins after one. A page that cannot be read, or of which retention
   * has removed some meanwhile, breaks the connection off: a cut export must not look whole.
   */
  private async *lines(
    tenant: TenantId,
    first: Awaited<ReturnType<typeof this.page>>,
  ): AsyncGenerator<string> {
    if (first.checkpoint !== undefined) yield `${JSON.stringify({ checkpoint: first.checkpoint })}\n`;
    for (let page = first, after = first.checkpoint?.through_seq ?? 0; ;) {
      const [start] = page.receipts;
      if (start !== undefined && start.seq !== after + 1)
        throw new Error('receipts were removed while they were exported');
      after = page.receipts.at(-1)?.seq ?? after;
      for (const receipt of page.receipts) yield `${JSON.stringify(receipt)}\n`;
      if (page.next === undefined) return;
      page = await this.page(tenant, page.next);
    }
  }
}
