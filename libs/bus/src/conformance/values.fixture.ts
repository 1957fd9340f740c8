import {
  CallId,
  InstanceId,
  TenantId,
  type AskOf,
  type ReceiptBody,
  type readKeptCall,
} from '@uar/contracts';

export const tenant = TenantId.parse('default');
export const approvalId = `appr_${'0'.repeat(32)}`;
export const instanceA = InstanceId.parse('a'.repeat(16));
export const instanceB = InstanceId.parse('b'.repeat(16));

export const callId = (n: number): CallId => CallId.parse(`call_${n.toString(16).padStart(32, '0')}`);

export const keptCall = (n: number): AskOf<typeof readKeptCall> => ({ tenant, call_id: callId(n) });

const receipt: ReceiptBody = {
  at: '2026-11-30T00:00:00.000Z',
  kind: 'intent',
  tenant,
  principal: 'User::"default/a"',
  governance: 'on',
  profile: 'minimal',
};

export const intent = { gateway: '0123456789abcdef', receipt };

/** Something that a test opens from outside. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Blocks the thread: nothing that was sent leaves, nothing that arrived is read. */
export function blockFor(ms: number): void {
  const until = Date.now() + ms;
  while (Date.now() <= until);
}
