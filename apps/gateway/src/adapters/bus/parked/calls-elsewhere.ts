import type { Bus } from '@uar/bus';
import { attendCall, type InstanceId } from '@uar/contracts';
import { readAsks } from '../../../domain/client/parked-asks.js';
import type { Attendance, Attended, Elsewhere } from '../../../domain/execute/attended-calls.js';

/** Calls that run at other gateways. */
export class CallsElsewhere implements Elsewhere {
  constructor(private readonly bus: Bus) {}

  async attend({ caller, callId, deed }: Attendance, at: InstanceId): Promise<Attended | undefined> {
    const reply = await this.bus.ask(attendCall, { caller, call_id: callId, deed }, { to: at });
    if (reply.kind === 'fault') return undefined;
    const { value } = reply;
    if (value.kind !== 'found') return value;
    return { kind: 'found', viewJson: value.view_json, asks: readAsks(value.inputs) };
  }
}
