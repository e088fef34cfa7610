/** Every setting: its environment variable, its command-line flag, its default and its check. */
import { availableParallelism } from 'node:os';
import {
  CONNECTIONS_MAX,
  DRAWING_LINK_SECONDS,
  HOST_DEFAULT,
  OPENSEARCH,
  PORT_DEFAULT,
  PUBLIC_RATE_LIMIT_PER_MINUTE,
  QUEUE_PER_WORKER,
  QUEUE_PER_WORKER_MAX,
  QUEUE_QUICK,
  RATE_LIMIT_MAX,
  RATE_LIMIT_PER_MINUTE,
  RECALL_CHECK,
  REQUEST_DEADLINE_MS,
  REQUEST_LOG_DAYS,
  REQUEST_LOG_MB,
  SHUTDOWN_GRACE_MS,
  WORKERS_MAX,
} from './limits.js';
import {
  addresses,
  choice,
  integer,
  optionalExactUrl,
  optionalInteger,
  optionalScopes,
  optionalText,
  optionalUrl,
  type Setting,
  share,
  text,
} from './setting-kinds.js';

export const ENGINES = ['embedded', 'opensearch'] as const;
export const KNN_ENGINES = ['faiss', 'lucene'] as const;
export const HTTP_ADAPTERS = ['auto', 'uws', 'node'] as const;
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** The account that `serve --demo` makes. */
export const DEMONSTRATION_ACCOUNT = 'Demonstration';
/** Value of --page-account: visitors of the web page have to sign in. */
export const NO_PAGE_ACCOUNT = 'none';

export const SETTINGS = {
  data: text({
    env: 'PRIORART_DATA',
    flag: '--data <folder>',
    default: '.priorart',
    description: 'folder that holds index, documents and keys',
  }),
  engine: choice({
    env: 'PRIORART_ENGINE',
    flag: '--engine <name>',
    default: 'embedded',
    values: ENGINES,
    description: 'where publications are: embedded (in the data folder), or opensearch (on a cluster)',
  }),
  opensearchNodes: addresses({
    env: 'PRIORART_OPENSEARCH_NODES',
    flag: '--opensearch-nodes <list>',
    unset: 'none; --engine opensearch needs it',
    description: 'addresses of nodes of the cluster, comma-separated',
  }),
  opensearchIndex: text({
    env: 'PRIORART_OPENSEARCH_INDEX',
    flag: '--opensearch-index <name>',
    default: OPENSEARCH.index,
    description: 'name of the index on the cluster',
  }),
  opensearchUsername: optionalText({
    env: 'PRIORART_OPENSEARCH_USERNAME',
    flag: '--opensearch-username <name>',
    unset: 'none',
    description: 'user on the cluster',
  }),
  opensearchPassword: optionalText({
    env: 'PRIORART_OPENSEARCH_PASSWORD',
    flag: '--opensearch-password <text>',
    unset: 'none',
    description: 'password of this user; prefer the environment variable to the flag',
  }),
  opensearchCa: optionalText({
    env: 'PRIORART_OPENSEARCH_CA',
    flag: '--opensearch-ca <file>',
    unset: 'those that Node trusts',
    description: 'certificates of the authority that signed those of the nodes, PEM',
  }),
  opensearchKnnEngine: choice({
    env: 'PRIORART_OPENSEARCH_KNN_ENGINE',
    flag: '--opensearch-knn-engine <name>',
    default: OPENSEARCH.knnEngine,
    values: KNN_ENGINES,
    description:
      'engine of the vectors of a new index: faiss, which needs the native library of the k-NN plugin, or lucene',
  }),
  opensearchShards: integer({
    env: 'PRIORART_OPENSEARCH_SHARDS',
    flag: '--opensearch-shards <count>',
    default: OPENSEARCH.shards,
    min: 1,
    max: OPENSEARCH.shardsMax,
    description: 'shards of a new index',
  }),
  opensearchReplicas: integer({
    env: 'PRIORART_OPENSEARCH_REPLICAS',
    flag: '--opensearch-replicas <count>',
    default: OPENSEARCH.replicas,
    min: 0,
    max: OPENSEARCH.replicasMax,
    description: 'copies of each shard of a new index',
  }),
  opensearchTimeoutMs: integer({
    env: 'PRIORART_OPENSEARCH_TIMEOUT_MS',
    flag: '--opensearch-timeout-ms <ms>',
    default: OPENSEARCH.timeoutMs,
    min: 1,
    max: 600_000,
    description: 'time until a node that does not answer is given up, ms',
  }),
  models: optionalText({
    env: 'PRIORART_MODELS',
    flag: '--models <file>',
    unset: 'the models of the data folder',
    description: 'models.json with the embedder and the reranker',
  }),
  host: text({
    env: 'PRIORART_HOST',
    flag: '--host <address>',
    default: HOST_DEFAULT,
    description: 'address to listen on; 0.0.0.0 for all',
  }),
  port: integer({
    env: 'PRIORART_PORT',
    flag: '--port <number>',
    default: PORT_DEFAULT,
    min: 0,
    max: 65_535,
    description: 'port to listen on; 0 for any free port',
  }),
  publicUrl: optionalUrl({
    env: 'PRIORART_PUBLIC_URL',
    flag: '--public-url <url>',
    unset: 'links in answers begin with the path',
    description: 'address at which clients reach this server; links in answers begin with it',
  }),
  page: choice({
    env: 'PRIORART_PAGE',
    flag: '--page <choice>',
    default: 'on',
    values: ['on', 'off'],
    description: 'on or off: whether the server has a web page for people at /',
  }),
  mcp: choice({
    env: 'PRIORART_MCP',
    flag: '--mcp <choice>',
    default: 'on',
    values: ['on', 'off'],
    description: 'on or off: whether LLM clients can connect at /mcp, with the same API keys',
  }),
  pageAccount: optionalText({
    env: 'PRIORART_PAGE_ACCOUNT',
    flag: '--page-account <name>',
    unset: `${DEMONSTRATION_ACCOUNT}, if the server is for its own machine only`,
    description: `account on which visitors of the web page search without signing in, or ${NO_PAGE_ACCOUNT}`,
  }),
  mcpHosts: optionalText({
    env: 'PRIORART_MCP_HOSTS',
    flag: '--mcp-hosts <list>',
    unset: 'those of --host and --public-url, and localhost',
    description: 'further names in the Host header that /mcp accepts, comma-separated',
  }),
  oauthEmbedded: choice({
    env: 'PRIORART_OAUTH_EMBEDDED',
    flag: '--oauth-embedded <choice>',
    default: 'off',
    values: ['on', 'off'],
    description:
      'on or off: whether this server is the authorization server for /mcp, where accounts sign in with their passwords',
  }),
  oauthIssuer: optionalText({
    env: 'PRIORART_OAUTH_ISSUER',
    flag: '--oauth-issuer <url>',
    unset: 'API keys only',
    description: 'issuer of access tokens for /mcp, exactly as in the tokens: your authorization server',
  }),
  oauthJwks: optionalExactUrl({
    env: 'PRIORART_OAUTH_JWKS',
    flag: '--oauth-jwks <url>',
    unset: 'found by the metadata of the issuer',
    description: 'address of the public keys of the issuer (jwks_uri)',
  }),
  oauthAudience: optionalText({
    env: 'PRIORART_OAUTH_AUDIENCE',
    flag: '--oauth-audience <text>',
    unset: 'the address of /mcp under --public-url',
    description: 'audience that tokens must have',
  }),
  oauthScope: optionalScopes({
    env: 'PRIORART_OAUTH_SCOPE',
    flag: '--oauth-scope <list>',
    unset: 'none',
    description: 'scopes that tokens must have, separated by blanks',
  }),
  oauthClaim: text({
    env: 'PRIORART_OAUTH_CLAIM',
    flag: '--oauth-claim <name>',
    default: 'priorart_key',
    description: 'claim of a token that holds the id of the API key for which it stands',
  }),
  oauthKey: optionalText({
    env: 'PRIORART_OAUTH_KEY',
    flag: '--oauth-key <id>',
    unset: 'such tokens are refused',
    description: 'id of the API key for tokens without the claim; all of them share its limits and quota',
  }),
  httpAdapter: choice({
    env: 'PRIORART_HTTP_ADAPTER',
    flag: '--http-adapter <name>',
    default: 'auto',
    values: HTTP_ADAPTERS,
    description:
      'HTTP server: uws (uWebSockets.js), node (node:http), or auto, which is uws if it can be loaded',
  }),
  workers: integer({
    env: 'PRIORART_WORKERS',
    flag: '--workers <count>',
    default: availableParallelism(),
    min: 1,
    max: WORKERS_MAX,
    description: 'worker threads, which search and embed: as many as processors, unless given',
  }),
  nice: integer({
    env: 'PRIORART_NICE',
    flag: '--nice <number>',
    default: 10,
    min: 0,
    max: 19,
    description: 'niceness of this command beside a running server, as in nice(1); 0 keeps the priority',
  }),
  queuePerWorker: integer({
    env: 'PRIORART_QUEUE_PER_WORKER',
    flag: '--queue-per-worker <count>',
    default: QUEUE_PER_WORKER,
    min: 1,
    max: QUEUE_PER_WORKER_MAX,
    description: `searches that may wait for each worker before the server answers 503; of quick requests, up to ${QUEUE_QUICK.times} times as many`,
  }),
  recallCheck: share({
    env: 'PRIORART_RECALL_CHECK',
    flag: '--recall-check <share>',
    default: RECALL_CHECK.share,
    description:
      'share of searches that are repeated exactly in the background, for the metric of recall; 0 to 1',
  }),
  deadlineMs: integer({
    env: 'PRIORART_DEADLINE_MS',
    flag: '--deadline-ms <ms>',
    default: REQUEST_DEADLINE_MS,
    min: 1,
    max: 3_600_000,
    description: 'longest a search may take, ms',
  }),
  shutdownGraceMs: integer({
    env: 'PRIORART_SHUTDOWN_GRACE_MS',
    flag: '--shutdown-grace-ms <ms>',
    default: SHUTDOWN_GRACE_MS,
    min: 0,
    max: 3_600_000,
    description: 'how long running requests may go on at shutdown, ms',
  }),
  rateLimit: integer({
    env: 'PRIORART_RATE_LIMIT',
    flag: '--rate-limit <calls>',
    default: RATE_LIMIT_PER_MINUTE,
    min: 1,
    max: RATE_LIMIT_MAX,
    description: 'calls that each API key may make in any 60 seconds',
  }),
  publicRateLimit: integer({
    env: 'PRIORART_PUBLIC_RATE_LIMIT',
    flag: '--public-rate-limit <calls>',
    default: PUBLIC_RATE_LIMIT_PER_MINUTE,
    min: 1,
    max: RATE_LIMIT_MAX,
    description:
      'calls without a key (coverage, drawings) that a client address may make in any 60 seconds; the same limit holds ' +
      'for calls with invalid keys and for images',
  }),
  shutdownDelayMs: integer({
    env: 'PRIORART_SHUTDOWN_DELAY_MS',
    flag: '--shutdown-delay-ms <ms>',
    default: 0,
    min: 0,
    max: 600_000,
    description:
      'time at shutdown during which /readyz answers 503 but requests are still served, so that balancers notice, ms',
  }),
  settings: optionalText({
    env: 'PRIORART_SETTINGS',
    flag: '--settings <file>',
    unset: 'none',
    description: 'JSON file of settings by flag name, {"port": 8080}; SIGHUP reads it again',
  }),
  tlsCert: optionalText({
    env: 'PRIORART_TLS_CERT',
    flag: '--tls-cert <file>',
    unset: 'plain HTTP',
    description: 'certificate with its chain, PEM; SIGHUP reads it again',
  }),
  tlsKey: optionalText({
    env: 'PRIORART_TLS_KEY',
    flag: '--tls-key <file>',
    unset: 'plain HTTP',
    description: 'key of the certificate, PEM without a password',
  }),
  trustProxy: optionalText({
    env: 'PRIORART_TRUST_PROXY',
    flag: '--trust-proxy <which>',
    unset: 'none',
    description:
      "proxies that are trusted to name the client's address: their number, or their addresses (10.0.0.0/8, ::1)",
  }),
  trustProxyHeader: choice({
    env: 'PRIORART_TRUST_PROXY_HEADER',
    flag: '--trust-proxy-header <name>',
    default: 'x-forwarded-for',
    values: ['x-forwarded-for', 'forwarded'],
    description: 'header that these proxies write: x-forwarded-for or forwarded (RFC 7239)',
  }),
  corsOrigins: optionalText({
    env: 'PRIORART_CORS_ORIGINS',
    flag: '--cors-origins <list>',
    unset: 'none',
    description: 'origins of web pages that may read answers, such as https://app.example.com, or *',
  }),
  compression: choice({
    env: 'PRIORART_COMPRESSION',
    flag: '--compression <choice>',
    default: 'on',
    values: ['on', 'off'],
    description: 'on or off: whether large answers are compressed for clients that take gzip or br',
  }),
  connectionsMax: integer({
    env: 'PRIORART_CONNECTIONS_MAX',
    flag: '--connections-max <count>',
    ...CONNECTIONS_MAX,
    description: 'most open connections; further connections are closed at once',
  }),
  metricsPort: optionalInteger({
    env: 'PRIORART_METRICS_PORT',
    flag: '--metrics-port <number>',
    unset: 'none',
    min: 0,
    max: 65_535,
    description: 'port for /metrics and the health endpoints, without a key; do not expose it to the public',
  }),
  metricsHost: text({
    env: 'PRIORART_METRICS_HOST',
    flag: '--metrics-host <address>',
    default: HOST_DEFAULT,
    description: 'address to listen on for --metrics-port',
  }),
  adminSecret: optionalText({
    env: 'PRIORART_ADMIN_SECRET',
    flag: '--admin-secret <text>',
    unset: 'the file access/admin-secret in the data folder',
    description: 'secret of the administration; prefer the environment variable to the flag',
  }),
  requestLogDays: integer({
    env: 'PRIORART_REQUEST_LOG_DAYS',
    flag: '--request-log-days <days>',
    default: REQUEST_LOG_DAYS.default,
    min: REQUEST_LOG_DAYS.min,
    max: REQUEST_LOG_DAYS.max,
    description: 'how long the log of requests is kept',
  }),
  requestLogMb: integer({
    env: 'PRIORART_REQUEST_LOG_MB',
    flag: '--request-log-mb <megabytes>',
    default: REQUEST_LOG_MB.default,
    min: REQUEST_LOG_MB.min,
    max: REQUEST_LOG_MB.max,
    description: 'size limit of the log of requests, MB; the oldest lines are removed first',
  }),
  requestLogQueries: choice({
    env: 'PRIORART_REQUEST_LOG_QUERIES',
    flag: '--request-log-queries <choice>',
    default: 'off',
    values: ['on', 'off'],
    description: 'on or off: whether the log of requests keeps the text of queries',
  }),
  drawings: choice({
    env: 'PRIORART_DRAWINGS',
    flag: '--drawings <choice>',
    default: 'on',
    values: ['on', 'off'],
    description: 'on or off: whether an ingest stores drawings; the package sharp converts them to WebP',
  }),
  drawingLinkSeconds: integer({
    env: 'PRIORART_DRAWING_LINK_SECONDS',
    flag: '--drawing-link-seconds <s>',
    ...DRAWING_LINK_SECONDS,
    description: 'lifetime of a link to a drawing, s',
  }),
  drawingSecretFile: optionalText({
    env: 'PRIORART_DRAWING_SECRET_FILE',
    flag: '--drawing-secret-file <file>',
    unset: 'created in the data folder at first use',
    description: 'file with the secret for signing links to drawings',
  }),
  s3Bucket: optionalText({
    env: 'PRIORART_S3_BUCKET',
    flag: '--s3-bucket <name>',
    unset: 'drawings are served from the data folder, and an index on a cluster has none',
    description:
      'S3 bucket that serves drawings; `drawings push` uploads those of a data folder, `ingest` those of an index on a cluster',
  }),
  s3Endpoint: optionalText({
    env: 'PRIORART_S3_ENDPOINT',
    flag: '--s3-endpoint <url>',
    unset: 'Amazon S3',
    description: 'address of the S3-compatible storage, as clients reach it',
  }),
  s3Region: text({
    env: 'PRIORART_S3_REGION',
    flag: '--s3-region <name>',
    default: 'us-east-1',
    description: 'region of the bucket',
  }),
  s3Prefix: text({
    env: 'PRIORART_S3_PREFIX',
    flag: '--s3-prefix <text>',
    default: 'drawings/',
    description: 'prefix of the names of drawings in the bucket',
  }),
  logLevel: choice({
    env: 'PRIORART_LOG_LEVEL',
    flag: '--log-level <level>',
    default: 'info',
    values: LOG_LEVELS,
    description: 'lowest level of messages that are logged',
  }),
};

export type SettingName = keyof typeof SETTINGS;
export type Config = {
  -readonly [N in SettingName]: (typeof SETTINGS)[N] extends Setting<infer T> ? T : never;
};
