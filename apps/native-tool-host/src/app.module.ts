import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { fileToolSettings, type ResolvedConfig } from '@uar/config';
import { StoredNativeTools, nativeToolsNamespace, type FileToolSettings } from '@uar/contracts';
import { createGrantVerifier } from '@uar/grant';
import { readPublicKey } from '@uar/keys';
import type { ServiceContext } from '@uar/service';
import { SettingsReplica } from '@uar/settings';
import { AllowedFolders } from './adapters/allowed-folders.js';
import { CheckedPaths } from './adapters/checked-paths.js';
import { DescriptorPaths } from './adapters/descriptor-paths.js';
import { HostBeat } from './adapters/host-beat.js';
import { LocalFiles } from './adapters/local-files.js';
import { SwitchedTools } from './adapters/switched-tools.js';
import { CallDesk } from './domain/call-desk.js';
import { fileTools } from './domain/file-tools.js';
import type { NativeTool } from './domain/native-tool.js';
import { KEY_AGREEMENT, LISTING, NativeController } from './native.controller.js';

/** A switch whose announcement was lost still holds within about a second. */
const settingsPollMs = 1_000;

@Module({})
export class NativeToolHostModule {
  static with({ bus, config, log }: ServiceContext): DynamicModule {
    const written = new SettingsReplica({
      ...{ bus, log, pollMs: settingsPollMs },
      ...{ namespace: nativeToolsNamespace, schema: StoredNativeTools },
    });
    const tools = new SwitchedTools({
      written,
      file: fileToolSettings(config),
      log,
      make: (settings) => enabledTools(config, settings),
    });
    const grants = createGrantVerifier({
      publicKeys: [readPublicKey(config.keys.grant_public_file)],
      host: 'native',
      instance: bus.instance,
    });
    const desk = new CallDesk({ tools, grants, now: Date.now });
    const beat = new HostBeat({
      bus,
      listed: () => tools.list,
      inFlight: () => desk.inFlight,
    });
    written.onChange(() => beat.beat());
    return {
      module: NativeToolHostModule,
      controllers: [NativeController],
      providers: [
        { provide: CallDesk, useValue: desk },
        { provide: LISTING, useValue: tools },
        { provide: KEY_AGREEMENT, useValue: grants },
        { provide: SwitchedTools, useValue: tools },
        { provide: SettingsReplica, useValue: written },
        { provide: HostBeat, useValue: beat },
      ],
    };
  }
}

/** A family that is off does not exist here: nothing can call what was never made. */
function enabledTools(config: ResolvedConfig, settings: FileToolSettings): readonly NativeTool[] {
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
