// Runs every `*.test.ts` with node's own runner: no browser, no page, only what is pure.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const source = join(import.meta.dirname, "..", "src");
const below = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const outdir = mkdtempSync(join(tmpdir(), "steward-ui-"));
try {
  const entryPoints = below(source, ".test.ts");
  await build({
    entryPoints,
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...below(outdir, ".mjs")], {
    stdio: "inherit",
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(outdir, { recursive: true });
}
