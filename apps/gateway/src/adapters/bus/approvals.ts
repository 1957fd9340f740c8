import type { Bus } from '@uar/bus';
import {
  approvalSettled,
  consumeApproval,
  createApproval,
  endApproval,
  readApproval,
  readApprovalStatus,
  type AnswerOf,
  type ApprovalDraft,
  type ApprovalStatus,
  type ApprovalView,
  type AskOf,
  type Caller,
} from '@uar/contracts';
import type { Approvals, Created, Unavailable } from '../../domain/call/ports.js';
import { unavailable } from './pdp.js';

type Listener = (status: ApprovalStatus) => void;

/** The approval-service over the bus. */
export class BusApprovals implements Approvals {
  private readonly listeners = new Map<string, Listener>();
  private readonly endListening: () => void;

  constructor(private readonly bus: Bus) {
    this.endListening = bus.listen(approvalSettled, ({ approval_id, status }) =>
      this.listeners.get(approval_id)?.(status),
    );
  }

  async create(draft: ApprovalDraft): Promise<Created> {
    const reply = await this.bus.ask(createApproval, draft);
    return reply.kind === 'answered' ? reply.value : unavailable('approvals', reply);
  }

  async status(
    ask: AskOf<typeof readApprovalStatus>,
  ): Promise<AnswerOf<typeof readApprovalStatus> | Unavailable> {
    const reply = await this.bus.ask(readApprovalStatus, ask);
    return reply.kind === 'answered' ? reply.value : unavailable('approvals', reply);
  }

  async consume(ask: AskOf<typeof consumeApproval>): Promise<AnswerOf<typeof consumeApproval> | Unavailable> {
    const reply = await this.bus.ask(consumeApproval, ask);
    return reply.kind === 'answered' ? reply.value : unavailable('approvals', reply);
  }

  async end(approvalId: string, as: AskOf<typeof endApproval>['as']): Promise<void> {
    await this.bus.ask(endApproval, { approval_id: approvalId, as });
  }

  async view(caller: Caller, approvalId: string): Promise<ApprovalView | undefined> {
    const reply = await this.bus.ask(readApproval, { caller, approval_id: approvalId });
    return reply.kind === 'answered' && reply.value.kind === 'found' ? reply.value.approval : undefined;
  }

  onSettled(approvalId: string, listener: Listener): () => void {
    this.listeners.set(approvalId, listener);
    return () => this.listeners.delete(approvalId);
  }

  close(): void {
    this.endListening();
  }
}
