// Makes the world a program finds: its tools, a console, a clock and dice that can be repeated, and nothing that leads
// out. Runs once, before the program; what it needs is taken here, so that nothing the program changes reaches it.
const { now, random, paths, tools: calls, print } = globalThis.host;
const { create, defineProperty, freeze } = Object;
const { apply, construct } = Reflect;

const absent = [
  "host", "eval", "queueMicrotask", "DisposableStack", "AsyncDisposableStack", "SuppressedError", "Atomics",
  "SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "performance", "gc", "navigator", "InternalError",
];
for (const name of absent) delete globalThis[name];

function fix(object, name, value) {
  defineProperty(object, name, { value, writable: false, enumerable: true, configurable: false });
}

// Time stands still until the program is told something.
const EngineDate = Date;
const dateText = Date.prototype.toString;
const RecordedDate = {
  Date: function (...parts) {
    if (new.target === undefined) return apply(dateText, construct(EngineDate, [now()]), []);
    return construct(EngineDate, parts.length === 0 ? [now()] : parts, new.target);
  },
}.Date;
defineProperty(RecordedDate, "length", { value: 7 });
defineProperty(RecordedDate, "prototype", { value: EngineDate.prototype, writable: false });
for (const [name, value] of [["now", now], ["parse", Date.parse], ["UTC", Date.UTC]]) {
  defineProperty(RecordedDate, name, { value, writable: true, enumerable: false, configurable: true });
}
defineProperty(EngineDate.prototype, "constructor", { value: RecordedDate });
defineProperty(globalThis, "Date", { value: RecordedDate });
defineProperty(Math, "random", { value: random });

// Shorter paths come first, so a tool that is also a group is a function before anything is put into it.
const tools = create(null);
const made = [tools];
for (let index = 0; index < paths.length; index++) {
  const names = paths[index].split(".");
  const last = names.pop();
  let group = tools;
  for (const name of names) {
    if (!Object.hasOwn(group, name)) {
      const inner = create(null);
      fix(group, name, inner);
      made.push(inner);
    }
    group = group[name];
  }
  if (Object.hasOwn(group, last)) continue;
  fix(group, last, calls[index]);
  made.push(calls[index]);
}
for (const object of made) freeze(object);

const console = create(null);
for (const name of ["log", "info", "warn", "error", "debug"]) fix(console, name, print);
fix(globalThis, "console", freeze(console));
fix(globalThis, "tools", tools);
