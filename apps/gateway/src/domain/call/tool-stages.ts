import type { Dispatcher } from '../dispatch/dispatcher.js';
import { toolDispatch } from '../dispatch/tool-dispatch.js';
import type { Ending } from './ending.js';
import { interruptedEnd } from './interruption.js';
import type { PermissionStage } from './permission.js';
import type { Stages } from './pipeline.js';
import type { RunningCall } from './running-call.js';
import type { Staging } from './staging.js';

/** A tool call from its name to what its host answered. */
export class ToolStages implements Stages {
  constructor(
    private readonly parts: {
      readonly staging: Staging;
      readonly permission: PermissionStage;
      readonly dispatcher: Dispatcher;
    },
  ) {}

  async pass(call: RunningCall): Promise<Ending | 'joined'> {
    const { staging, permission, dispatcher } = this.parts;
    const staged = await staging.stage(call);
    if (staged.kind === 'over') return staged.ending;
    const permitted = await permission.permit(call, staged.value);
    switch (permitted.kind) {
      case 'joined':
        return 'joined';
      case 'over':
        return permitted.ending;
      case 'passed': {
        const end = interruptedEnd(call);
        if (end?.kind === 'over') return end.ending;
        return dispatcher.run(call, toolDispatch(call, staged.value), permitted.value);
      }
    }
  }
}
