import fc from 'fast-check';

/** What a well-formed body asks for: how many answers, and whether the revision decides (batches). */
export type Meaning =
  | { readonly kind: 'messages'; readonly ids: readonly (string | number)[]; readonly isBatch: boolean }
  /** Nothing that may be answered with anything but a refusal. */
  | { readonly kind: 'invalid' }
  /** Changed at random: it may have stayed well-formed. */
  | { readonly kind: 'mutated' };

export interface AnyBody {
  readonly text: string;
  readonly meaning: Meaning;
}

const requestId = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.string({ maxLength: 6 }),
  fc.constantFrom('', '0', '1', '__proto__', Number.MAX_SAFE_INTEGER),
);

const toolName = fc.constantFrom('srv__echo', 'echo', 'srv__write', 'srv__nothing', '', '../x', '__proto__');
const params = fc.oneof(
  fc.constant(undefined),
  fc.dictionary(fc.constantFrom('cursor', 'name', 'uri', '_meta', 'level'), fc.jsonValue({ maxDepth: 2 })),
);
const callParams = fc.record({
  name: toolName,
  arguments: fc.dictionary(fc.constantFrom('text', 'n', 'x'), fc.jsonValue({ maxDepth: 2 })),
});
const otherMethod = fc.constantFrom(
  ...['ping', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'tasks/get'],
  ...['logging/setLevel', 'notifications/initialized', 'elicitation/create', 'toString', 'x'],
);
const uri = fc.constantFrom('test://one', 'test://two', 'uar+srv+test://one', 'no scheme', '', '../x');
const prompt = fc.constantFrom('greet', 'srv__greet', '', '__proto__');
const values = fc.oneof(
  fc.dictionary(fc.constantFrom('a', '__proto__'), fc.string()),
  fc.jsonValue({ maxDepth: 1 }),
);
/** Of the methods about one resource or prompt: such as they may be, and such as they may not. */
const itemRequest = fc.oneof(
  fc.record({
    method: fc.constantFrom('resources/read', 'resources/subscribe', 'resources/unsubscribe'),
    params: fc.oneof(fc.record({ uri }), params),
  }),
  fc.record({
    method: fc.constant('prompts/get'),
    params: fc.oneof(fc.record({ name: prompt, arguments: values }), params),
  }),
  fc.record({
    method: fc.constant('completion/complete'),
    params: fc.record({
      ref: fc.oneof(
        fc.record({ type: fc.constant('ref/prompt'), name: prompt }),
        fc.record({ type: fc.constant('ref/resource'), uri }),
        fc.jsonValue({ maxDepth: 1 }),
      ),
      argument: fc.oneof(fc.record({ name: fc.string(), value: fc.string() }), fc.jsonValue({ maxDepth: 1 })),
    }),
  }),
);

type Message = Readonly<Record<string, unknown>>;
const withoutUndefined = (message: object): Message => JSON.parse(JSON.stringify(message));
const request = fc
  .oneof(
    fc.record({ jsonrpc: fc.constant('2.0'), id: requestId, method: otherMethod, params }),
    fc.record({
      jsonrpc: fc.constant('2.0'),
      id: requestId,
      method: fc.constant('tools/call'),
      params: callParams,
    }),
    fc.tuple(requestId, itemRequest).map(([id, asked]) => ({ jsonrpc: '2.0', id, ...asked })),
  )
  .map(withoutUndefined);
const notification = fc
  .record({
    jsonrpc: fc.constant('2.0'),
    method: fc.constantFrom(
      'notifications/initialized',
      'notifications/roots/list_changed',
      'x',
      'tools/call',
    ),
    params,
  })
  .map(withoutUndefined);
const response = fc
  .record({ jsonrpc: fc.constant('2.0'), id: requestId, result: fc.constant({}) })
  .map(withoutUndefined);
const message = fc.oneof({ weight: 4, arbitrary: request }, notification, response);

const idsOf = (messages: readonly Message[]): (string | number)[] =>
  messages.flatMap(({ id, method }) =>
    method !== undefined && (typeof id === 'string' || typeof id === 'number') ? [id] : [],
  );

const one: fc.Arbitrary<AnyBody> = message.map((it) => ({
  text: JSON.stringify(it),
  meaning: { kind: 'messages', ids: idsOf([it]), isBatch: false },
}));

const batch: fc.Arbitrary<AnyBody> = fc
  .oneof(
    fc.array(fc.oneof(request, notification), { minLength: 1, maxLength: 5 }),
    fc.array(fc.oneof(response, notification), { minLength: 1, maxLength: 5 }),
  )
  .map((messages) => ({
    text: JSON.stringify(messages),
    meaning: { kind: 'messages', ids: idsOf(messages), isBatch: true },
  }));

/** Changes that leave JSON and no JSON-RPC message of any revision. */
const broken: fc.Arbitrary<AnyBody> = fc
  .tuple(
    request,
    fc.constantFrom<(sent: Message) => unknown>(
      (sent) => ({ ...sent, jsonrpc: '1.0' }),
      (sent) => ({ ...sent, id: null }),
      (sent) => ({ ...sent, id: 1.5 }),
      (sent) => ({ ...sent, id: { a: 1 } }),
      (sent) => ({ ...sent, method: 7 }),
      (sent) => ({ ...sent, params: [1] }),
      (sent) => ({ ...sent, result: {} }),
      (sent) => ({ ...sent, Method: 'ping' }),
      () => [],
      (sent) => [[sent]],
      (sent) => [sent, { jsonrpc: '2.0', id: 1, result: {} }],
      (sent) => [sent, { ...sent }],
      (sent) => JSON.stringify(sent),
    ),
  )
  .map(([sent, breakIt]) => ({ text: JSON.stringify(breakIt(sent)), meaning: { kind: 'invalid' } }));

const noJson: fc.Arbitrary<AnyBody> = fc
  .oneof(
    fc.constantFrom('', '{', '[', 'null', '{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}', '\ufeff{}'),
    request.map((sent) => `${JSON.stringify(sent)}x`),
    request.map((sent) => JSON.stringify(sent).replace('{', '{"method":"tools/list",')),
    fc.integer({ min: 65, max: 5_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  )
  .map((text) => ({ text, meaning: { kind: 'invalid' } }));

const mutated: fc.Arbitrary<AnyBody> = fc
  .tuple(
    fc.oneof(one, batch),
    fc.nat(),
    fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '0', '-', 'e'),
  )
  .map(([{ text }, position, insert]) => {
    const at = position % (text.length + 1);
    return {
      text: text.slice(0, at) + insert + text.slice(at + (position % 2)),
      meaning: { kind: 'mutated' },
    };
  });

export const anyBody: fc.Arbitrary<AnyBody> = fc.oneof(
  { weight: 4, arbitrary: one },
  { weight: 2, arbitrary: batch },
  broken,
  noJson,
  { weight: 2, arbitrary: mutated },
);

export type HeaderFault = 'none' | 'accept' | 'version' | 'media' | 'session';

export const anyHeaders: fc.Arbitrary<{
  readonly fault: HeaderFault;
  readonly headers: Readonly<Record<string, string>>;
}> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ fault: 'none' as const, headers: {} }) },
  fc
    .constantFrom('application/json', 'text/event-stream', 'text/html', 'application/json;q=0, */*;q=0')
    .map((accept) => ({ fault: 'accept' as const, headers: { accept } })),
  fc
    .constantFrom('2026-07-28', '2024-10-07', 'x')
    .map((version) => ({ fault: 'version' as const, headers: { 'mcp-protocol-version': version } })),
  fc
    .constantFrom('text/plain', 'application/xml')
    .map((type) => ({ fault: 'media' as const, headers: { 'content-type': type } })),
  fc.constant({ fault: 'session' as const, headers: { 'mcp-session-id': 'made-up' } }),
);
