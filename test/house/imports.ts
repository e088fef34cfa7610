import ts from 'typescript';

/** A place in a source file that names another module. */
export interface ImportOf {
  /** The module as written; undefined if it is computed. */
  specifier: string | undefined;
  line: number;
  /** Whether it is `import type`, of which nothing is left in the compiled program. */
  isType: boolean;
}

export interface SourceReferences {
  /**
   * Static imports and re-exports, type-only or not, `import x = require()`, `import('…')` as an expression and as a
   * type, calls of any function named `require`, and `new URL('…', import.meta.url)`, which names workers.
   */
  imports: ImportOf[];
  /**
   * Places that could load a native library: the names `createRequire` and `dlopen`, and strings that end in `.node`.
   */
  nativeLoads: number[];
}

/**
 * Finds the module references of a TypeScript source with the compiler's parser, which ignores comments and strings.
 */
export function referencesOf(path: string, source: string): SourceReferences {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2023, true);
  const found: SourceReferences = { imports: [], nativeLoads: [] };
  const lineOf = (node: ts.Node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;

  const visit = (node: ts.Node): void => {
    for (const module of modulesNamedBy(node))
      found.imports.push({ specifier: textOf(module), line: lineOf(node), isType: importsTypes(node) });
    if (loadsNative(node)) found.nativeLoads.push(lineOf(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function textOf(node: ts.Node): string | undefined {
  return ts.isStringLiteralLike(node) ? node.text : undefined;
}

function modulesNamedBy(node: ts.Node): ts.Node[] {
  if (ts.isImportDeclaration(node)) return [node.moduleSpecifier];
  if (ts.isExportDeclaration(node)) return node.moduleSpecifier ? [node.moduleSpecifier] : [];
  if (ts.isExternalModuleReference(node)) return [node.expression];
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? [node.argument.literal] : [node.argument];
  if (ts.isCallExpression(node) && isLoader(node.expression)) return node.arguments.slice(0, 1);
  if (ts.isNewExpression(node) && isOwnUrl(node)) return (node.arguments ?? []).slice(0, 1);
  return [];
}

function importsTypes(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.isTypeOnly === true;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return ts.isImportTypeNode(node);
}

function isLoader(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  if (ts.isIdentifier(callee)) return callee.text === 'require';
  return ts.isPropertyAccessExpression(callee) && callee.getText() === 'import.meta.resolve';
}

/** `new URL('./worker.js', import.meta.url)` of a module; other files are ignored. */
function isOwnUrl(node: ts.NewExpression): boolean {
  const [path, base] = node.arguments ?? [];
  if (node.expression.getText() !== 'URL' || base?.getText() !== 'import.meta.url') return false;
  return path !== undefined && /\.[cm]?[jt]s$/.test(textOf(path) ?? '');
}

function loadsNative(node: ts.Node): boolean {
  if (ts.isIdentifier(node)) return node.text === 'createRequire' || node.text === 'dlopen';
  if (ts.isStringLiteralLike(node)) return node.text.endsWith('.node');
  return ts.isTemplateExpression(node) && node.templateSpans.at(-1)!.literal.text.endsWith('.node');
}
