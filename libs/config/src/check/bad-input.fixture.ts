const secret = 'a-secret-of-more-than-thirty-two-bytes';
const stdio = '{ transport: stdio, command: run }';
const name = 'a server name is 1-32 of a-z, 0-9 and - and starts with a letter or digit';
const database = 'postgres://user@host:5432/database';
const holdsPassword = 'holds a password; put it into a file and name that in ledger.password_file';
const minimalOnly = 'only in profile minimal with loopback listeners';

/** Configurations with exactly the problems that follow them. */
export const bad: [what: string, yaml: string, ...expected: string[]][] = [
  ['a slip in a key', 'prof1le: minimal', 'prof1le: unknown key; did you mean profile? (uar.yaml:1)'],
  ['a slip further down', 'server:\n  prot: 1', 'server.prot: unknown key; did you mean port? (uar.yaml:2)'],
  [
    'a key like nothing known',
    'server: { quux_flavour: 1 }',
    'server.quux_flavour: unknown key (uar.yaml:1)',
  ],
  [
    'a slip inside a server',
    'mcp: { servers: { a: { transport: stdio, command: run, timout_ms: 1 } } }',
    'mcp.servers.a.timout_ms: unknown key; did you mean timeout_ms? (uar.yaml:1)',
  ],
  [
    'a slip inside a tenant',
    'tenants: { acme: { kil_switch: true } }',
    'tenants.acme.kil_switch: unknown key; did you mean kill_switch? (uar.yaml:1)',
  ],
  ['a key that stands twice', 'log_level: info\nlog_level: warn', 'uar.yaml:2: key log_level stands twice'],
  ['a list for a mapping', '- profile', 'uar.yaml: the file holds no mapping of keys'],
  ['a key without a value', 'log_level:', 'log_level: has no value; give one or remove the key (uar.yaml:1)'],
  [
    'a word for a number',
    'server: { port: eighty }',
    'server.port: expected number, received string (uar.yaml:1)',
  ],
  [
    'a port out of range',
    'server: { port: 65536 }',
    'server.port: expected number to be <=65535 (uar.yaml:1)',
  ],
  [
    'a profile nobody knows',
    'profile: full',
    'profile: expected one of "minimal"|"server-full"|"embedded-mobile" (uar.yaml:1)',
  ],
  [
    'the profile that is a library',
    'profile: embedded-mobile',
    'profile: embedded-mobile is for applications that embed the plane; services run minimal or server-full',
  ],
  [
    'a server without a command',
    'mcp: { servers: { a: { transport: stdio } } }',
    'mcp.servers.a: transport stdio needs a command (uar.yaml:1)',
  ],
  [
    'an OAuth client without anything that it needs',
    'mcp: { servers: { a: { transport: http, url: "https://a.example/", auth: { type: oauth, flow: client_credentials } } } }',
    'mcp.servers.a.auth: flow client_credentials needs a client_id (uar.yaml:1)',
    'mcp.servers.a.auth: flow client_credentials needs a client_secret or a private_key (uar.yaml:1)',
  ],
  [
    'an OAuth client that contradicts itself and its server',
    `mcp: { servers: { a: { transport: stdio, command: run, headers: { authorization: x }, auth: { type: oauth,
      client_id: c, client_secret: s, private_key: k, client_metadata_url: "http://c.example/", token_endpoint_auth_method: none } } } }`,
    'mcp.servers.a.auth.client_metadata_url: client_id and client_metadata_url exclude each other (uar.yaml:2)',
    'mcp.servers.a.auth.private_key: client_secret and private_key exclude each other (uar.yaml:2)',
    'mcp.servers.a.auth.token_endpoint_auth_method: none excludes client_secret and private_key (uar.yaml:2)',
    'mcp.servers.a.auth.client_metadata_url: is no https URL with a path (uar.yaml:2)',
    'mcp.servers.a.auth: is for transport streamable_http alone (uar.yaml:1)',
    'mcp.servers.a.auth: excludes a header Authorization (uar.yaml:1)',
  ],
  [
    'a token endpoint for a flow that discovers its own',
    'mcp: { servers: { a: { transport: http, url: "https://a.example/", auth: { type: oauth, token_endpoint: "ftp://x" } } } }',
    'mcp.servers.a.auth.token_endpoint: is for the other flows; this one needs what the server discovers (uar.yaml:1)',
    'mcp.servers.a.auth.token_endpoint: is no http or https URL without user name, password and fragment (uar.yaml:1)',
  ],
  [
    'tokens of callers that would go wherever an upstream says, over a session of everybody',
    `mcp: { servers: { a: { transport: http, url: "https://a.example/",
      auth: { type: oauth, flow: token_exchange, client_id: c, client_secret: s } } } }`,
    'mcp.servers.a.auth: flow token_exchange needs an issuer or a token_endpoint (uar.yaml:2)',
    'mcp.servers.a.auth: flow token_exchange needs placement per_principal (uar.yaml:2)',
  ],
  [
    'an issuer with a query',
    'mcp: { servers: { a: { transport: http, url: "https://a.example/", auth: { type: oauth, issuer: "https://i.example/?x" } } } }',
    'mcp.servers.a.auth.issuer: is no http or https URL without user name, password, query and fragment (uar.yaml:1)',
  ],
  [
    'a tenant that is no name',
    'tenants: { "a b": {} }',
    'tenants.a b: is no name (letters, digits, dot, dash, underscore; at most 64) (uar.yaml:1)',
  ],
  [
    'a secret beside a key set',
    `security: { jwt_secret: ${secret}, jwks_url: https://i.example/k, jwt_issuer: i, jwt_audience: u }`,
    'security: a secret and jwks_url exclude each other',
  ],
  [
    'a secret file that is absent',
    'security: { jwt_secret_file: absent }',
    'security.jwt_secret_file: absent does not exist',
  ],
  [
    'a key set without issuer and audience',
    'security: { jwks_url: https://i.example/k }',
    'security.jwt_issuer: is required with jwks_url',
    'security.jwt_audience: is required with jwks_url',
  ],
  [
    'server-full without a key set',
    'profile: server-full',
    'security.jwks_url: profile server-full needs jwks_url (or allow_shared_secret)',
  ],
  [
    'server-full with a shared secret that is not allowed',
    `profile: server-full\nsecurity: { jwt_secret: ${secret} }`,
    'security.jwks_url: profile server-full needs jwks_url (or allow_shared_secret)',
  ],
  [
    'a shared secret that is allowed and absent',
    'profile: server-full\nsecurity: { allow_shared_secret: true }',
    'security.jwt_secret: allow_shared_secret needs a secret',
  ],
  [
    'ungoverned on every address',
    'governance: { enabled: false }\nserver: { host: 0.0.0.0 }',
    `governance.enabled: may be false ${minimalOnly}`,
  ],
  [
    'ungoverned with open metrics',
    'governance: { enabled: false }\nserver: { management_host: 192.168.1.2 }',
    `governance.enabled: may be false ${minimalOnly}`,
  ],
  [
    'ungoverned and anonymous in server-full',
    `profile: server-full\nsecurity: { jwt_secret: ${secret}, allow_shared_secret: true, anonymous: true }\ngovernance: { enabled: false }`,
    `security.anonymous: is allowed ${minimalOnly}`,
    `governance.enabled: may be false ${minimalOnly}`,
  ],
  [
    'anonymous on every address',
    'security: { anonymous: true }\nserver: { host: "::" }',
    `security.anonymous: is allowed ${minimalOnly}`,
  ],
  [
    'a server name in capitals',
    `mcp: { servers: { Time: ${stdio} } }`,
    `mcp.servers.Time: ${name}; for example time`,
  ],
  [
    'a reserved server name',
    `mcp: { servers: { uar-memory: ${stdio} } }`,
    'mcp.servers.uar-memory: the name is reserved',
  ],
  [
    'a reserved name in another case',
    `tenants: { acme: { mcp: { servers: { Native: ${stdio} } } } }`,
    'tenants.acme.mcp.servers.Native: the name is reserved',
  ],
  [
    'twins that differ in case',
    `mcp: { servers: { time: ${stdio}, TIME: ${stdio} } }`,
    'mcp.servers.TIME: the name is taken by mcp.servers.time',
  ],
  [
    'twins in both places of tenant default',
    `mcp: { servers: { time: ${stdio} } }\ntenants: { default: { mcp: { servers: { time: ${stdio} } } } }`,
    'tenants.default.mcp.servers.time: the name is taken by mcp.servers.time',
  ],
  ['a name that is all signs', `mcp: { servers: { "!!": ${stdio} } }`, `mcp.servers.!!: ${name}`],
  [
    'one port for two listeners',
    'server: { port: 1907 }',
    "server.management_port: is the gateway's port too (1907)",
  ],
  [
    'a proxy that is no address',
    'server: { trusted_proxies: [10.0.0.0/8, 10.0.0.0/33, lan] }',
    'server.trusted_proxies.1: is no address and no CIDR range',
    'server.trusted_proxies.2: is no address and no CIDR range',
  ],
  [
    'an origin with a path',
    'server: { allowed_origins: ["https://app.example/x"] }',
    'server.allowed_origins.0: is no origin (scheme://host[:port], nothing after it)',
  ],
  [
    'a certificate that is absent',
    'server: { tls: { cert_file: c.pem, key_file: k.pem } }',
    'server.tls.cert_file: c.pem does not exist',
    'server.tls.key_file: k.pem does not exist',
  ],
  [
    'memory tools without memory',
    'native_tools: { memory_enabled: true }',
    'native_tools.memory_enabled: is reserved: this version does not have it',
  ],
  [
    'a memory path of another route',
    'memory: { mcp_http_path: /mcp }',
    'memory.mcp_http_path: /mcp is taken by another route',
  ],
  [
    'a memory path below another route',
    'memory: { mcp_http_path: /api/memory }',
    'memory.mcp_http_path: /api/memory is taken by another route',
  ],
  [
    'a memory path that climbs',
    'memory: { mcp_http_path: /x/../api }',
    'memory.mcp_http_path: is no plain absolute path such as /mcp/memory',
  ],
  ['two ledgers', `ledger: { file: a.db, url: ${database} }`, 'ledger: file and url exclude each other'],
  [
    'a password in the URL of the ledger',
    'ledger: { url: "postgres://uar:hunter2@db/uar" }',
    `ledger.url: ${holdsPassword}`,
  ],
  [
    'a password in its query',
    'ledger: { url: "postgres://uar@db/uar?password=hunter2", file: a.db }',
    'ledger: file and url exclude each other',
    `ledger.url: ${holdsPassword}`,
  ],
  ['another database', 'ledger: { url: "mysql://uar@db/uar" }', `ledger.url: is no URL such as ${database}`],
  [
    'a slip in the URL of the ledger beside everything else',
    'ledger: { url: "postgres://uar@db/uar?sslmode=verify_full", file: a.db }',
    'ledger: file and url exclude each other',
    'ledger.url: has an sslmode that is none of disable, require, verify-ca, verify-full',
  ],
  [
    'a password without a database',
    'ledger: { password_file: pw }',
    'ledger.password_file: is for ledger.url, and there is none',
  ],
  [
    'a file of servers that is absent',
    'mcp: { config_files: [gone.json] }',
    'gone.json: the file does not exist',
  ],
  [
    'the prototype as a server',
    `mcp: { servers: { __proto__: ${stdio} } }`,
    'uar.yaml:1: key __proto__ is not allowed',
  ],
];
