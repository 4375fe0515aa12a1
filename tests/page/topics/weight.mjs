// What a browser has to fetch: all of the page's code, packed, stays below a limit.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import assert from "node:assert/strict";

const MOST = 150_000;
const ASSETS = join(import.meta.dirname, "../../../ui/dist/assets");

export default async function ({ house, check }) {
  await check("all code together", await house(), async () => {
    const scripts = readdirSync(ASSETS).filter((file) => file.endsWith(".js"));
    const bytes = scripts.map((file) => gzipSync(readFileSync(join(ASSETS, file))).length);
    const sum = bytes.reduce((all, each) => all + each, 0);
    assert.ok(scripts.length > 0 && sum <= MOST, `${sum} bytes are more than ${MOST}`);
    console.log(`     ${Math.round(sum / 1000)} of ${MOST / 1000} kB`);
  });
}
