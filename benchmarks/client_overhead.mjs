// What the TypeScript client adds to a call, beside bare fetch. Run by benchmarks.client_overhead.
import { createServer } from "node:http";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const CALLS = Number(process.argv[2]);
const items = Array.from({ length: 20 }, (_, id) => ({ id: `${id}`, content: "A fact.".repeat(4) }));
const ANSWER = JSON.stringify({ items, next_cursor: null });

if (isMainThread) {
  const { Rapport } = await import("rapport-client");
  const server = new Worker(fileURLToPath(import.meta.url));
  const port = await new Promise((resolve) => server.once("message", resolve));
  const baseUrl = `http://127.0.0.1:${port}`;
  const rapport = new Rapport({ baseUrl, apiKey: "rk_x" });
  const path = "/v1/relationships/{relationship_id}/entries";
  const params = { path: { relationship_id: "r" }, query: { limit: 20 } };
  const own = [];
  const beside = [];
  for (let call = 0; call < CALLS; call++) {
    const began = performance.now();
    const answer = await fetch(`${baseUrl}/v1/relationships/r/entries?limit=20`, {
      headers: { Authorization: "Bearer rk_x" },
    });
    await answer.json();
    const between = performance.now();
    await rapport.http.GET(path, { params });
    beside.push(between - began);
    own.push(performance.now() - between);
  }
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  console.log(JSON.stringify([middle(beside), middle(own)]));
  await server.terminate();
} else {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(ANSWER);
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
}
