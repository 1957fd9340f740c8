import { z } from 'zod';

const strings = z.array(z.string()).default([]);

/** Section `native_tools`: every family is off until it is turned on. */
export const nativeTools = z
  .strictObject({
    file_tools_enabled: z.boolean().default(false).describe('native__file_read, file_write, file_patch.'),
    file_allowed_paths: strings.describe('Folders the file tools may touch; empty = none.'),
    file_max_size_kb: z.number().int().min(1).default(1024).describe('Largest file read or patched.'),
    file_write_max_kb: z.number().int().min(1).default(512).describe('Largest content written.'),
    web_fetch_enabled: z.boolean().default(false).describe('native__web_fetch. Reserved: true is refused.'),
    web_fetch_timeout_secs: z.number().min(1).default(30).describe('Longest fetch, redirects included.'),
    web_fetch_max_size_kb: z
      .number()
      .int()
      .min(1)
      .default(512)
      .describe('Longest body, counted after decoding.'),
    web_fetch_allowed_domains: strings.describe('Hosts that may be fetched; empty = all public hosts.'),
    web_fetch_allowed_ports: z
      .array(z.number().int())
      .default([80, 443])
      .describe('Ports that may be fetched from.'),
    terminal_exec_enabled: z
      .boolean()
      .default(false)
      .describe('native__terminal_exec. Reserved: true is refused.'),
    terminal_commands: strings.describe('Programs (argv[0]) that may be run; empty = none.'),
    terminal_timeout_secs: z.number().min(1).default(30).describe('Longest run of a program.'),
    terminal_max_output_kb: z
      .number()
      .int()
      .min(1)
      .default(256)
      .describe('Output kept of a program, head and tail.'),
    terminal_use_sandbox: z.boolean().default(true).describe('false lets programs run without a sandbox.'),
    memory_enabled: z
      .boolean()
      .default(false)
      .describe('native__memory_save and memory_recall. Reserved: true is refused.'),
    session_search_enabled: z
      .boolean()
      .default(false)
      .describe('native__session_search. Reserved: true is refused.'),
    session_search_max_results: z.number().int().min(1).default(10).describe('Most hits of a search.'),
  })
  .prefault({});
