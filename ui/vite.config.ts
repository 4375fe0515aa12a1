// How the page is built, and how it is served while it is worked on: then everything but the page itself comes
// from a Steward that runs on its usual port.
import { defineConfig } from "vite";

const steward = process.env.STEWARD_URL ?? "http://127.0.0.1:18789";
// Steward takes requests only from its own pages; the proxy speaks in its name.
const door = { target: steward, changeOrigin: true, ws: true, headers: { origin: steward } };
const doors = ["/ws", "/api", "/login", "/logout", "/v1", "/health"];

export default defineConfig({
  server: { host: "127.0.0.1", port: 5173, proxy: Object.fromEntries(doors.map((path) => [path, door])) },
  build: {
    target: "es2022",
    // Nothing may be inlined: the page's policy allows neither inline script nor style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
