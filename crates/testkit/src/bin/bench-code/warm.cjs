// Checks program.ts again and again with one compiler and parsed declarations, each time as a new program, and prints what
// one check takes in milliseconds: the median by the clock, the mean of processor time. Usage: node warm.cjs PACKAGE RUNS
const fs = require("fs");
const ts = require(process.argv[2]);
const runs = Number(process.argv[3]);

const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, strict: true, noLib: true, skipLibCheck: true, types: [] };
const parse = (name) => ts.createSourceFile(name, fs.readFileSync(name, "utf8"), options.target);
const kept = new Map(["lib.d.ts", "tools.d.ts"].map((name) => [name, parse(name)]));

const check = () => {
  const files = new Map([...kept, ["program.ts", parse("program.ts")]]);
  const host = {
    ...ts.createCompilerHost(options),
    getSourceFile: (name) => files.get(name),
    fileExists: (name) => files.has(name),
    writeFile: () => {},
  };
  const program = ts.createProgram({ rootNames: [...files.keys()], options, host });
  const file = program.getSourceFile("program.ts");
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  if (found.length > 0) throw new Error(ts.flattenDiagnosticMessageText(found[0].messageText, "\n"));
  program.emit(file);
};

// The first ones warm up.
for (let run = 0; run < 10; run++) check();
const times = [];
const used = process.cpuUsage();
for (let run = 0; run < runs; run++) {
  const begin = performance.now();
  check();
  times.push(performance.now() - begin);
}
const { user, system } = process.cpuUsage(used);
times.sort((one, other) => one - other);
console.log(JSON.stringify({ wall: times[times.length >> 1], cpu: (user + system) / 1000 / runs }));
