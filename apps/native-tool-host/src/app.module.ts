import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { definitionDigest } from '@uar/catalog';
import type { ResolvedConfig } from '@uar/config';
import { createGrantVerifier } from '@uar/grant';
import { readPublicKey } from '@uar/keys';
import type { ServiceContext } from '@uar/service';
import { AllowedFolders } from './adapters/allowed-folders.js';
import { CheckedPaths } from './adapters/checked-paths.js';
import { DescriptorPaths } from './adapters/descriptor-paths.js';
import { HostBeat } from './adapters/host-beat.js';
import { LocalFiles } from './adapters/local-files.js';
import { CallDesk } from './domain/call-desk.js';
import { fileTools } from './domain/file-tools.js';
import type { NativeTool } from './domain/native-tool.js';
import { toolList } from './domain/tool-list.js';
import { NativeController, TOOL_LIST } from './native.controller.js';

@Module({})
export class NativeToolHostModule {
  static with({ bus, config }: ServiceContext): DynamicModule {
    const tools = enabledTools(config);
    const list = toolList(tools);
    const desk = new CallDesk({
      tools: tools.map((tool) => ({ tool, digest: definitionDigest(tool.definition) })),
      grants: createGrantVerifier({
        publicKeys: [readPublicKey(config.keys.grant_public_file)],
        host: 'native',
        instance: bus.instance,
      }),
      now: Date.now,
    });
    const beat = new HostBeat({
      bus,
      listDigest: list.digest,
      toolCount: tools.length,
      inFlight: () => desk.inFlight,
    });
    return {
      module: NativeToolHostModule,
      controllers: [NativeController],
      providers: [
        { provide: CallDesk, useValue: desk },
        { provide: TOOL_LIST, useValue: list },
        { provide: HostBeat, useValue: beat },
      ],
    };
  }
}

/** A family that is off does not exist here: nothing can call what was never made. */
function enabledTools(config: ResolvedConfig): readonly NativeTool[] {
  const settings = config.native_tools;
  if (!settings.file_tools_enabled) return [];
  const maxFileBytes = settings.file_max_size_kb * 1024;
  const folders = new AllowedFolders(
    settings.file_allowed_paths.map((path) => resolve(path)),
    guardedPaths(config),
  );
  const paths = existsSync('/proc/self/fd') ? new DescriptorPaths(folders) : new CheckedPaths(folders);
  const files = new LocalFiles(paths, maxFileBytes);
  return fileTools({ files, maxFileBytes, maxWriteBytes: settings.file_write_max_kb * 1024 });
}

/** Ours, even where an allowed folder contains it: whoever could write here could sign or permit whatever they like. */
function guardedPaths({ data_dir, governance, keys, security, server }: ResolvedConfig): readonly string[] {
  const files = [security.jwt_secret_file, server.tls?.key_file, ...Object.values(keys)];
  const given = files.filter((file) => file !== undefined);
  return [data_dir, governance.policies_dir, ...given].map((path) => resolve(path));
}
