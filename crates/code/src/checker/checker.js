// The side of the checker that runs beside the compiler: parses, checks and strips one program at a time, and keeps the
// parsed declarations between programs, and all that was found out about their types, which is what makes the second check
// cheap. What is put into which words for the author is decided in Rust. Positions that leave this file are the author's
// own, counted from 1.
globalThis.startChecker = (libraryText) => {
  "use strict";

  const before = "async function program() {\n";
  const after = "\n}\n";
  const libraryName = "/lib.d.ts";
  const options = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    moduleDetection: ts.ModuleDetectionKind.Legacy,
    strict: true,
    // A tool's error is caught to be looked at, and there is nothing to narrow it with.
    useUnknownInCatchVariables: false,
    noLib: true,
    types: [],
    skipLibCheck: true,
    sourceMap: true,
    removeComments: true,
    newLine: ts.NewLineKind.LineFeed,
  };
  const tests = new Set(["every", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "sort", "toSorted"]);

  const parse = (name, text) => {
    const parsing = { languageVersion: options.target, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
    return ts.createSourceFile(name, text, parsing);
  };
  const files = new Map([[libraryName, parse(libraryName, libraryText)]]);
  let author = "";
  let file = null;
  let programs = 0;

  // The groups and the types the program names, and where it first uses `tools` in a way that may reach any group.
  const survey = (text) => {
    author = text;
    programs += 1;
    // Faults are kept by the name of the file.
    file = parse(`/program${programs}.ts`, before + text + after);
    file.path = file.resolvedPath = file.originalFileName = file.fileName;
    // A program is checked whole: a comment does not silence the compiler.
    file.commentDirectives = undefined;
    const groups = new Set();
    const types = new Set();
    let any = null;
    const visit = (node) => {
      if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) types.add(node.typeName.text);
      if (ts.isPropertyAccessExpression(node) && isTools(node.expression)) {
        groups.add(node.name.text);
      } else if (ts.isQualifiedName(node) && isTools(node.left)) {
        groups.add(node.right.text);
      } else if (ts.isElementAccessExpression(node) && isTools(node.expression) && ts.isStringLiteralLike(node.argumentExpression)) {
        groups.add(node.argumentExpression.text);
      } else if (ts.isVariableDeclaration(node) && node.initializer && isTools(node.initializer) && plainPattern(node.name)) {
        for (const element of node.name.elements) groups.add((element.propertyName ?? element.name).text);
      } else if (isTools(node)) {
        const { line, column } = place(node.getStart(file));
        any ??= [line, column];
      } else {
        ts.forEachChild(node, visit);
      }
    };
    visit(file);
    return JSON.stringify({ groups: [...groups], types: [...types], any });
  };
  const isTools = (node) => ts.isIdentifier(node) && node.text === "tools";
  const plainPattern = (name) =>
    ts.isObjectBindingPattern(name)
    && name.elements.every((it) => !it.dotDotDotToken && ts.isIdentifier(it.propertyName ?? it.name));

  const check = (request) => {
    const { names, most } = JSON.parse(request);
    const { checker, emitting } = typesOf(names);
    // To the compiler this is a module: its names are its own, and the types that are kept do not know of them.
    file.externalModuleIndicator = file;
    ts.bindSourceFile(file, options);
    let found = file.parseDiagnostics;
    // The compiler goes first: what it has found out about types is at hand for the rules, the other way round it is not.
    if (found.length === 0 && file.statements.length === 1) found = [...file.bindDiagnostics, ...checker.getDiagnostics(file)];
    const own = ownFaults(checker);
    const inOwn = (it) => own.some((fault) => it.start >= fault.start && it.start < fault.end);
    const diagnostics = [
      ...own,
      ...found.filter((it) => !inOwn(it)).map((it) => ({
        start: it.start,
        code: "TS" + it.code,
        message: wordsOf(it),
      })),
    ].sort((left, right) => left.start - right.start);
    if (diagnostics.length > 0) {
      const shown = diagnostics.slice(0, most).map((it) => ({ ...place(it.start), code: it.code, message: it.message }));
      return JSON.stringify({ diagnostics: shown });
    }
    const output = {};
    // What runs is a script.
    file.externalModuleIndicator = undefined;
    const writeFile = (name, text) => { output[name.endsWith(".map") ? "map" : "javascript"] = text; };
    ts.emitFiles(checker.getEmitResolver(file, undefined, true), { ...emitting, writeFile }, file, transformers);
    const javascript = output.javascript.slice(0, output.javascript.lastIndexOf("//# sourceMappingURL="));
    return JSON.stringify({ javascript, lines: linesOf(output.map) });
  };

  // The compiler's knowledge of these declarations. It grows with every program that is checked by it.
  let known = null;
  const transformers = ts.getTransformers(options);
  const typesOf = (names) => {
    const key = names.join();
    if (known?.key === key) return known;
    const host = {
      getSourceFile: (name) => files.get(name),
      getDefaultLibFileName: () => libraryName,
      getCurrentDirectory: () => "/",
      getDirectories: () => [],
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => "\n",
      fileExists: (name) => files.has(name),
      readFile: () => undefined,
      writeFile: () => {},
    };
    const declared = ts.createProgram({ rootNames: [libraryName, ...names], options, host });
    const emitting = {
      getCompilerOptions: () => options,
      getCanonicalFileName: (name) => name,
      getCommonSourceDirectory: () => "/",
      getCurrentDirectory: () => "/",
      getSourceFiles: declared.getSourceFiles,
      isSourceFileFromExternalLibrary: () => false,
      getRedirectFromSourceFile: () => undefined,
      isSourceOfProjectReferenceRedirect: () => false,
      useCaseSensitiveFileNames: () => true,
      isEmitBlocked: () => false,
      shouldTransformImportCall: () => false,
      getEmitModuleFormatOfFile: () => options.module,
    };
    known = { key, checker: declared.getTypeChecker(), emitting };
    return known;
  };

  const forgotAwait = 2773;
  const wordsOf = (it) => {
    const hint = (it.relatedInformation ?? []).find((related) => related.code === forgotAwait);
    return [it, ...(hint ? [hint] : [])].map((part) => ts.flattenDiagnosticMessageText(part.messageText, "\n")).join(" ");
  };

  // What is inside the program's wrapper is the author's; what is reported behind the end belongs to the last character.
  const place = (start) => {
    const offset = Math.min(Math.max(start - before.length, 0), author.length);
    const lines = author.slice(0, offset).split(/\r\n|\n|\r|\u2028|\u2029/);
    return { line: lines.length, column: lines[lines.length - 1].length + 1 };
  };

  // What the compiler does not know, or says in words that mislead. What lies in a fault of its own extent is not said twice.
  const ownFaults = (checker) => {
    const faults = [];
    const fault = (node, code, extent = 0, message = "") => {
      const start = node.getStart(file);
      faults.push({ start, end: start + extent, code, message });
    };
    if (file.statements.length > 1) {
      faults.push({ start: file.statements[0].end - 1, end: file.end, code: "unbalanced", message: "" });
      return faults;
    }
    const visit = (node) => {
      if (isModular(node)) {
        fault(node, "no-modules", node.getWidth(file));
        return;
      }
      if (ts.isExpressionStatement(node)) {
        const value = unwrapped(node.expression);
        const floats = !isAssignment(value) && holdsPromise(checker.getTypeAtLocation(value), checker);
        if (floats) fault(node, "floating-promise");
      } else if (ts.isTemplateSpan(node)) {
        if (isPromise(checker.getTypeAtLocation(node.expression))) fault(node.expression, "promise-in-text");
      } else if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
        callbacks(node);
      }
      ts.forEachChild(node, visit);
    };
    const callbacks = (call) => {
      const method = ts.isPropertyAccessExpression(call.expression) ? call.expression.name.text : "";
      for (const given of call.arguments ?? []) {
        if (!ts.isArrowFunction(given) && !ts.isFunctionExpression(given)) continue;
        const signature = checker.getSignatureFromDeclaration(given);
        if (!signature || !isPromise(checker.getReturnTypeOfSignature(signature))) continue;
        const wanted = checker.getContextualType(given)?.getCallSignatures() ?? [];
        const forgets = (it) => checker.getReturnTypeOfSignature(it).flags & ts.TypeFlags.Void;
        if (tests.has(method)) fault(given, "promise-as-test", 0, method);
        else if (wanted.length > 0 && wanted.every(forgets)) fault(given, "floating-callback");
      }
    };
    visit(file);
    return faults;
  };

  const isModular = (node) =>
    ts.isImportDeclaration(node) || ts.isImportEqualsDeclaration(node) || ts.isExportDeclaration(node)
    || ts.isExportAssignment(node) || ts.isImportTypeNode(node)
    || (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword)
    || (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    || node.kind === ts.SyntaxKind.ExportKeyword;

  const unwrapped = (node) => {
    for (;;) {
      if (ts.isParenthesizedExpression(node) || ts.isVoidExpression(node)) node = node.expression;
      else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.CommaToken) node = node.right;
      else return node;
    }
  };
  const isAssignment = (node) =>
    ts.isBinaryExpression(node) && node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment
    && node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
  const isPromise = (type) =>
    type.isUnion() ? type.types.some(isPromise) : ["Promise", "PromiseLike"].includes(type.getSymbol()?.name);
  const holdsPromise = (type, checker) =>
    isPromise(type) || (checker.isArrayType(type) && checker.getTypeArguments(type).some(isPromise));

  // For each line of the JavaScript the author's line it came from, read from the source map.
  const linesOf = (map) => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const lines = [];
    let source = 0;
    let last = 1;
    const most = author.split("\n").length;
    for (const line of JSON.parse(map).mappings.split(";")) {
      let first;
      for (const segment of line.split(",").filter((it) => it !== "")) {
        const fields = [];
        let value = 0;
        let shift = 0;
        for (const digit of segment) {
          const bits = digits.indexOf(digit);
          value += (bits & 31) << shift;
          shift += 5;
          if (bits & 32) continue;
          fields.push(value & 1 ? -(value >> 1) : value >> 1);
          value = shift = 0;
        }
        source += fields[2] ?? 0;
        first ??= source;
      }
      last = Math.min(Math.max(first ?? last, 1), most);
      lines.push(last);
    }
    return lines;
  };

  return {
    survey,
    check,
    declare: (name, text) => { files.set(name, parse(name, text)); },
    forget: (name) => { files.delete(name); },
    rest: () => { known = file = null; },
  };
};
