import type { AnswerOf, tryServer } from '@uar/contracts';
import { baseCapabilities } from './link/base-side.js';
import { connect, type ConnectPorts, type ConnectTarget } from './link/connect.js';

/** Opens a connection of its own, lists, and closes it again; with `connect` false only the placeholders are looked up. */
export async function tryOut(
  target: ConnectTarget & { readonly connect: boolean },
  ports: ConnectPorts,
  signal: AbortSignal,
): Promise<AnswerOf<typeof tryServer>> {
  const expansion = ports.expand(target.config);
  if (expansion.kind === 'unresolved')
    return { kind: 'placeholder_unresolved', missing: [...expansion.missing] };
  if (!target.connect) return { kind: 'resolved' };
  const connected = await connect(target, ports, {
    signal,
    client: { capabilities: baseCapabilities(target.config), onNotice: () => undefined },
    onToolsChanged: () => undefined,
    onUnreachable: () => undefined,
  });
  switch (connected.kind) {
    case 'connected':
      await connected.upstream.close();
      return { kind: 'connected', tool_count: connected.list.tools.size, latency_ms: connected.latencyMs };
    case 'unresolved':
      return { kind: 'placeholder_unresolved', missing: [...connected.missing] };
    case 'unsupported':
    case 'auth_required':
    case 'failed':
      return { kind: 'connect_failed', message: connected.message };
  }
}
