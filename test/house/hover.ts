/** Finds fields of the library's public types without a doc comment. */
import ts from 'typescript';

/** Documented at their schemas in src/embed and src/rerank, which an editor does not show. */
const ELSEWHERE = /(?:^ModelsInput|\.models)\.(?:embedder|reranker)$/;

/** Types with fields of other libraries. */
const FOREIGN = /node_modules[\\/](?:typescript|@types)/;

/**
 * Every field and method without a doc comment that is reachable from the exports of a declaration file.
 * @returns paths such as `SearchResult.chunks`
 */
export function undocumented(entry: string): string[] {
  const program = ts.createProgram([entry], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  if (!source) throw new Error(`no such file: ${entry}`);
  const seen = new Set<ts.Type>();
  const found = new Set<string>();

  const isForeign = (symbol: ts.Symbol): boolean =>
    (symbol.declarations ?? []).some((declaration) => FOREIGN.test(declaration.getSourceFile().fileName));

  const visit = (type: ts.Type, path: string): void => {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) visit(part, path);
      if (type.isUnion()) return;
    }
    const elements = checker.getTypeArguments(type as ts.TypeReference) ?? [];
    for (const element of elements) visit(element, path);
    const own = type.aliasSymbol ?? type.getSymbol();
    const isAnonymous = own === undefined || own.name === '__type' || own.name === '__object';
    if (own && isForeign(own)) return;
    const name = isAnonymous ? path : own.name;
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return;
    for (const property of type.getProperties()) {
      if (isForeign(property) || property.name.startsWith('__#') || property.name === '#private') continue;
      const field = `${name}.${property.name}`;
      if (ELSEWHERE.test(field)) continue;
      if (property.getDocumentationComment(checker).length === 0) found.add(field);
      const inner = checker.getTypeOfSymbol(property);
      for (const signature of inner.getCallSignatures()) {
        visit(signature.getReturnType(), `${field}()`);
        for (const parameter of signature.parameters) visit(checker.getTypeOfSymbol(parameter), field);
      }
      visit(inner, field);
    }
    const indexed = type.getStringIndexType();
    if (indexed) visit(indexed, name);
  };

  const module = checker.getSymbolAtLocation(source);
  for (const exported of module ? checker.getExportsOfModule(module) : []) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (symbol.getDocumentationComment(checker).length === 0) found.add(exported.name);
    if (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) {
      visit(checker.getDeclaredTypeOfSymbol(symbol), exported.name);
    }
    const declaration = symbol.valueDeclaration;
    if (!declaration) continue;
    for (const signature of checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures()) {
      visit(signature.getReturnType(), `${exported.name}()`);
      for (const parameter of signature.parameters) visit(checker.getTypeOfSymbol(parameter), exported.name);
    }
  }
  return [...found].sort();
}
