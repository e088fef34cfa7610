import { posix } from 'node:path';
import { type ImportOf, referencesOf } from './imports.js';

const PARTS = ['store', 'index', 'embed', 'rerank', 'drawings', 'access', 'observe'];
const BELOW_POOL = ['patent', ...PARTS, 'ingest', 'search', 'models'];
const BELOW_FRONT = [...BELOW_POOL, 'pool', 'service.ts', 'engine-options.ts', 'engine.ts'];

/**
 * Which folder of src/ (or file directly in it) may import which others; itself always. What is not in the table
 * does not belong into src/.
 */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  patent: [],
  ...Object.fromEntries(PARTS.map((part) => [part, ['patent']])),
  // Segments are listed in the store's manifest; embedders and rerankers reach Rust through index/native.ts.
  // Its check goes over the files of drawings, too.
  index: ['patent', 'store', 'drawings'],
  // SQLite is in the addon: index/native.ts. From the store come durable folders and what a full disk is: store/room.ts, faults.ts.
  access: ['patent', 'store', 'index'],
  // How an ONNX graph runs, for both; its tokenizer is in Rust.
  onnx: ['index'],
  embed: ['patent', 'index', 'onnx'],
  rerank: ['patent', 'index', 'onnx'],
  // Which embedder and reranker, as the user or the manifest says.
  models: ['patent', 'store', 'index', 'onnx', 'embed', 'rerank'],
  ingest: ['patent', ...PARTS],
  search: ['patent', ...PARTS],
  pool: BELOW_POOL,
  // What is open; the library speaks to it in the application's terms, the server over a port.
  'service.ts': [...BELOW_POOL, 'pool'],
  'engine-options.ts': BELOW_POOL,
  'engine.ts': [...BELOW_POOL, 'service.ts', 'engine-options.ts'],
  eval: BELOW_FRONT,
  cluster: BELOW_FRONT,
  dashboard: BELOW_FRONT,
  mcp: BELOW_FRONT,
  http: [...BELOW_FRONT, 'dashboard', 'mcp'],
  cli: [...BELOW_FRONT, 'eval', 'cluster', 'dashboard', 'mcp', 'http'],
  // The door of the package: what an application imports.
  'index.ts': [...BELOW_FRONT, 'cluster', 'http'],
  'index.cts': ['index.ts'],
  'errors.ts': [],
  'nearest-name.ts': [],
  'check-options.ts': [],
  'limits.ts': [],
  'config.ts': [],
};

/** One table of errors, of limits, of settings, and what every message about a mistyped name uses: open to everybody. */
const FOR_EVERYBODY = new Set(['errors.ts', 'limits.ts', 'config.ts', 'nearest-name.ts', 'check-options.ts']);

/** Packages that only some places may import, so that the rest of the program does not depend on them. */
const CONFINED: Readonly<Record<string, readonly string[]>> = {
  'uWebSockets.js': ['src/http/adapters/uws.ts'],
  lmdb: ['src/store/'],
  'onnxruntime-node': ['src/onnx/'],
  piscina: ['src/pool/'],
  sharp: ['src/drawings/convert.ts'],
};

const LOADS_ADDON = 'src/index/native.ts';

/** Files that load native code, of this package or another's, and by a name made for the platform. */
const NATIVE_LOADERS: readonly string[] = [LOADS_ADDON, 'src/http/adapters/uws.ts'];

/**
 * Every import among the given sources that points against an arrow.
 * @param sources path (`src/…`) → TypeScript text
 * @returns one sentence each, `src/file.ts:12: …`; none when all is well
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
      found.push(`${path}:${line}: loads native code, which only ${LOADS_ADDON} does`);
  }
  return found;
}

function wrongWith(path: string, { specifier }: ImportOf): string | undefined {
  if (specifier === undefined) {
    return NATIVE_LOADERS.includes(path)
      ? undefined
      : 'imports a module by a computed name, which nobody can check';
  }
  if (!specifier.startsWith('.')) {
    const places = CONFINED[packageOf(specifier)];
    if (places === undefined || places.some((place) => path.startsWith(place))) return undefined;
    return `imports ${specifier}, which only ${places.join(' and ')} may`;
  }
  if (specifier.endsWith('.node')) return undefined; // Reported as native code, whatever its place.
  const target = posix.join(posix.dirname(path), specifier);
  if (target === 'package.json') return undefined;
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src/`;
  const [from, to] = [unitOf(path), unitOf(target)];
  if (!Object.hasOwn(ALLOWED, from)) return `${from} is not in the table of arrows`;
  if (from === to || FOR_EVERYBODY.has(to) || ALLOWED[from]!.includes(to)) return undefined;
  return `${from} imports ${to}; it may import ${ALLOWED[from]!.join(', ') || 'nothing but the tables of errors, limits and settings'}`;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** `src/patent/kind.ts` → `patent`; a file directly in src/ stands for itself, by its source's name. */
function unitOf(path: string): string {
  const [, first = ''] = path.split('/');
  return first.replace(/\.js$/, '.ts').replace(/\.cjs$/, '.cts');
}
