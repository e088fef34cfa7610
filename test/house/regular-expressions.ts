/** Finds every regular expression of a source for a checker. */
import ts from 'typescript';

export interface WrittenExpression {
  source: string;
  flags: string;
  line: number;
}

/**
 * Literals, `new RegExp` with constant strings, and strings of a property `pattern`, which a schema's validator
 * compiles. `constructed` finds expressions that are built at run time.
 */
export function writtenExpressions(path: string, text: string): WrittenExpression[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const found: WrittenExpression[] = [];
  const add = (node: ts.Node, source: string, flags: string): void => {
    found.push({ source, flags, line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    }
    const [pattern, flags] = argumentsOfRegExp(node) ?? [];
    if (pattern && ts.isStringLiteralLike(pattern)) {
      add(node, pattern.text, flags && ts.isStringLiteralLike(flags) ? flags.text : '');
    }
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText(file) === 'pattern' &&
      ts.isStringLiteralLike(node.initializer)
    ) {
      add(node, node.initializer.text, 'u');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Places where a source builds expressions: outside of functions, or also inside of them. */
export function constructs(path: string, text: string): { atOnce: boolean; later: boolean } {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const found = { atOnce: false, later: false };
  const visit = (node: ts.Node, inFunction: boolean): void => {
    const [pattern] = argumentsOfRegExp(node) ?? [];
    if (pattern && !ts.isStringLiteralLike(pattern)) found[inFunction ? 'later' : 'atOnce'] = true;
    ts.forEachChild(node, (child) => visit(child, inFunction || ts.isFunctionLike(node)));
  };
  visit(file, false);
  return found;
}

function argumentsOfRegExp(node: ts.Node): ts.NodeArray<ts.Expression> | undefined {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
  return node.expression.getText() === 'RegExp' ? node.arguments : undefined;
}

/** Loads modules and returns the expressions that these build while they load. */
export async function constructed(load: () => Promise<unknown>): Promise<RegExp[]> {
  const found: RegExp[] = [];
  const real = globalThis.RegExp;
  globalThis.RegExp = new Proxy(real, {
    construct(target, args: [string, string?], newTarget) {
      const made = Reflect.construct(target, args, newTarget) as RegExp;
      found.push(made);
      return made;
    },
  });
  try {
    await load();
  } finally {
    globalThis.RegExp = real;
  }
  return found;
}
