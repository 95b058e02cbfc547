// mem0's npm client, unmodified, against /mem0.
import assert from "node:assert/strict";

import MemoryClient from "mem0ai";

const client = new MemoryClient({ apiKey: process.env.RAPPORT_API_KEY, host: process.env.RAPPORT_URL + "/mem0" });
const [maya, tom] = [{ user_id: "maya" }, { user_id: "tom" }];
const options = (whose, more = {}) => ({ userId: whose.user_id, infer: false, ...more });

const { results } = await client.add([{ role: "user", content: "Has a cat." }], options(maya));
const { id } = results[0];
await client.add([{ role: "user", content: "Has a dog." }], options(tom));
assert.equal((await client.search("Has she got a cat?", { filters: maya })).results[0].memory, "Has a cat.");
assert.equal((await client.getAll({ filters: tom })).results.length, 1);
await client.update(id, { text: "Has two cats." });
assert.equal((await client.get(id)).memory, "Has two cats.");
assert.equal((await client.history(id)).length, 2);
await client.delete(id);
assert.equal((await client.getAll({ filters: maya })).results.length, 0);
await client.deleteAll({ userId: "tom" });
assert.equal((await client.getAll({ filters: tom })).results.length, 0);
assert.ok((await client.users()).results.some((one) => one.name === "tom"));
console.log("whole");
process.exit(0);
