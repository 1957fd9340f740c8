import { definitionDigest } from '@uar/catalog';
import { FileToolSettings, nativeToolsKey, operatorTenant, type StoredNativeTools } from '@uar/contracts';
import type { SettingsReplica } from '@uar/settings';
import type { Log } from '@uar/telemetry';
import type { ServedTool, Toolbox } from '../domain/call-desk.js';
import type { NativeTool } from '../domain/native-tool.js';
import { toolList, type ToolList } from '../domain/tool-list.js';

export interface SwitchedToolsParts {
  readonly written: SettingsReplica<typeof StoredNativeTools>;
  /** What holds where the API set nothing. */
  readonly file: FileToolSettings;
  readonly log: Pick<Log, 'error'>;
  make(settings: FileToolSettings): readonly NativeTool[];
}

interface Served {
  readonly tools: ReadonlyMap<string, ServedTool>;
  readonly list: ToolList;
}

type State =
  { readonly kind: 'unread' | 'unreadable' } | { readonly kind: 'known'; readonly revision: number };

/** The families that are on now. What was not read or cannot be read switches every one off: nobody serves on a guess. */
export class SwitchedTools implements Toolbox {
  #served: Served = serve([]);
  #of = '';
  #problem: string | undefined;

  constructor(private readonly parts: SwitchedToolsParts) {}

  get list(): ToolList {
    return this.#now().list;
  }

  find(name: string): ServedTool | undefined {
    return this.#now().tools.get(name);
  }

  problems(): readonly string[] {
    this.#now();
    return this.#problem === undefined ? [] : [this.#problem];
  }

  #now(): Served {
    const state = this.#state();
    const named = JSON.stringify(state);
    if (named === this.#of) return this.#served;
    this.#of = named;
    this.#served = serve(this.#tools(state));
    return this.#served;
  }

  #state(): State {
    const { written } = this.parts;
    if (!written.ready) return { kind: 'unread' };
    const kept = written.get(operatorTenant, nativeToolsKey);
    if (kept?.kind === 'unreadable') return { kind: 'unreadable' };
    return { kind: 'known', revision: kept?.revision ?? 0 };
  }

  #tools(state: State): readonly NativeTool[] {
    this.#problem = undefined;
    switch (state.kind) {
      case 'unread':
        this.#problem = 'the settings of native tools were not read yet';
        return [];
      case 'unreadable':
        this.#problem = 'the stored settings of native tools are unreadable';
        return [];
      case 'known':
        return this.#made();
    }
  }

  #made(): readonly NativeTool[] {
    const { written, file, log, make } = this.parts;
    const kept = written.get(operatorTenant, nativeToolsKey);
    try {
      return make(FileToolSettings.parse({ ...file, ...(kept?.kind === 'kept' ? kept.value.set : {}) }));
    } catch (error) {
      this.#problem = 'the settings of native tools cannot be applied';
      log.error({ err: error }, this.#problem);
      return [];
    }
  }
}

function serve(tools: readonly NativeTool[]): Served {
  const served = tools.map((tool) => ({ tool, digest: definitionDigest(tool.definition) }));
  return { tools: new Map(served.map((each) => [each.tool.name, each])), list: toolList(tools) };
}
