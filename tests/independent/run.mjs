// Everything nobody here wrote, against the real binary: model servers below it, clients above it.
// Usage: node run.mjs PATH-TO-STEWARD PATH-TO-DESKTOP
import { models } from "./models.mjs";
import { clients } from "./clients.mjs";
import { resolve } from "node:path";

const [steward, desktop] = [resolve(process.argv[2]), resolve(process.argv[3])];
const tally = { passed: 0, failed: 0 };

/** Runs one test and tells how it went. */
async function check(name, test) {
  try {
    await test();
    tally.passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    tally.failed += 1;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}

await models(steward, check);
await clients(steward, desktop, check);
console.log(`\n${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed === 0 ? 0 : 1);
