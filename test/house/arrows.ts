import { posix } from 'node:path';
import { type ImportOf, referencesOf } from './imports.js';

const PARTS = ['store', 'index', 'embed', 'rerank', 'drawings', 'access', 'observe'];
const BELOW_POOL = ['patent', ...PARTS, 'ingest', 'search', 'models'];
const BELOW_FRONT = [...BELOW_POOL, 'pool', 'engine-options.ts', 'engine-port.ts', 'service.ts', 'engine.ts'];

/**
 * The folders of src/ (and files directly in it), with the folders that each may import besides itself. Other folders
 * are not allowed in src/.
 */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  patent: [],
  ...Object.fromEntries(PARTS.map((part) => [part, ['patent']])),
  // The store provides durable folders and files: store/room.ts.
  drawings: ['patent', 'store'],
  // The store's manifest lists segments; embedders and rerankers reach Rust through index/native.ts. The check reads
  // the files of drawings, too.
  index: ['patent', 'store', 'drawings'],
  // SQLite is in the addon, index/native.ts. The store provides durable folders and errors of a full disk:
  // store/room.ts, faults.ts.
  access: ['patent', 'store', 'index'],
  // Sessions of ONNX graphs, for both. The tokenizer is in Rust.
  onnx: ['index'],
  embed: ['patent', 'index', 'onnx'],
  rerank: ['patent', 'index', 'onnx'],
  // Selects embedder and reranker, from settings or from the manifest.
  models: ['patent', 'store', 'index', 'onnx', 'embed', 'rerank'],
  ingest: ['patent', ...PARTS],
  search: ['patent', ...PARTS],
  pool: BELOW_POOL,
  // The interfaces of an engine, and the engine on a data folder behind them.
  'engine-options.ts': BELOW_POOL,
  'engine-port.ts': ['patent', 'store', 'index', 'ingest', 'search', 'observe', 'engine-options.ts'],
  'service.ts': [...BELOW_POOL, 'pool', 'engine-options.ts', 'engine-port.ts'],
  'engine.ts': [...BELOW_POOL, 'engine-options.ts', 'engine-port.ts', 'service.ts', 'cluster'],
  eval: BELOW_FRONT,
  // The engine on a cluster.
  cluster: [...BELOW_POOL, 'pool', 'engine-options.ts', 'engine-port.ts'],
  mcp: BELOW_FRONT,
  // Runs in a browser: of the server it imports types, and the pure functions of patent.
  page: ['patent', 'access', 'observe', 'search'],
  http: [...BELOW_FRONT, 'mcp'],
  cli: [...BELOW_FRONT, 'load-config.ts', 'eval', 'cluster', 'mcp', 'http'],
  // The entry point of the package for applications.
  'index.ts': [...BELOW_FRONT, 'cluster', 'http'],
  'index.cts': ['index.ts'],
  'errors.ts': [],
  'nearest-name.ts': [],
  'written-value.ts': [],
  'check-options.ts': [],
  'limits.ts': [],
  'give-back.ts': [],
  'joined-signal.ts': [],
  'config.ts': [],
  'setting-kinds.ts': [],
  'load-config.ts': [],
};

/** Tables of errors, limits and settings, suggestions for mistyped names, values in messages, and the freeing of memory. Every folder may import them. */
const FOR_EVERYBODY = new Set([
  'errors.ts',
  'limits.ts',
  'config.ts',
  'setting-kinds.ts',
  'nearest-name.ts',
  'written-value.ts',
  'check-options.ts',
  'give-back.ts',
  'joined-signal.ts',
]);

/** Code of these folders runs in a browser, too: it uses nothing of Node. */
const IN_A_BROWSER = new Set(['page', 'patent']);

/** Packages that only some files may import, so that the rest of the program does not depend on them. */
const CONFINED: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/server': ['src/mcp/sdk.ts'],
  '@opensearch-project/opensearch': ['src/cluster/'],
  'uWebSockets.js': ['src/http/adapters/uws.ts'],
  jose: ['src/http/oauth/library.ts'],
  'light-my-request': ['src/http/oauth/library.ts'],
  lmdb: ['src/store/'],
  'oidc-provider': ['src/http/oauth/library.ts'],
  'onnxruntime-node': ['src/onnx/'],
  preact: ['src/page/view/'],
  uplot: ['src/page/view/'],
  piscina: ['src/pool/'],
  'prom-client': ['src/observe/prometheus.ts'],
  sharp: ['src/drawings/convert.ts'],
};

const LOADS_ADDON = 'src/index/native.ts';

/** Files that load native code with a name for the platform, of this package or of others. */
const NATIVE_LOADERS: readonly string[] = [LOADS_ADDON, 'src/http/adapters/uws.ts'];

/**
 * Finds imports against the arrows.
 * @param sources path (`src/…`) → TypeScript text
 * @returns one sentence for each, `src/file.ts:12: …`; empty if there are none
 */
export function violations(sources: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    const { imports, nativeLoads } = referencesOf(path, text);
    for (const reference of imports) {
      const wrong = wrongWith(path, reference);
      if (wrong) found.push(`${path}:${reference.line}: ${wrong}`);
    }
    if (NATIVE_LOADERS.includes(path)) continue;
    for (const line of nativeLoads)
      found.push(`${path}:${line}: loads native code, which only ${LOADS_ADDON} may do`);
  }
  return found;
}

function wrongWith(path: string, { specifier, isType }: ImportOf): string | undefined {
  if (specifier === undefined) {
    return NATIVE_LOADERS.includes(path)
      ? undefined
      : 'imports a module by a computed name, which cannot be checked';
  }
  if (!specifier.startsWith('.')) {
    const places = CONFINED[packageOf(specifier)];
    if (places === undefined || places.some((place) => path.startsWith(place))) return undefined;
    return `imports ${specifier}, which only ${places.join(' and ')} may`;
  }
  if (specifier.endsWith('.node')) return undefined; // Reported as native code, in every folder.
  const target = posix.join(posix.dirname(path), specifier);
  if (target === 'package.json') return undefined;
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src/`;
  const [from, to] = [unitOf(path), unitOf(target)];
  if (!Object.hasOwn(ALLOWED, from)) return `${from} is not in the table of arrows`;
  if (from === 'page' && !isType && !IN_A_BROWSER.has(to)) {
    return `page imports ${to} into a browser; of the server it may import types, and the functions of patent`;
  }
  if (from === to || FOR_EVERYBODY.has(to) || ALLOWED[from]!.includes(to)) return undefined;
  return `${from} imports ${to}; it may import ${ALLOWED[from]!.join(', ') || 'nothing but the tables of errors, limits and settings'}`;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** `src/patent/kind.ts` → `patent`; a file directly in src/ is its own name. */
function unitOf(path: string): string {
  const [, first = ''] = path.split('/');
  return first.replace(/\.js$/, '.ts').replace(/\.cjs$/, '.cts');
}
