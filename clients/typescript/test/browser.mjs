// Run by a page of another site than the service's, with a relationship token.
import { Rapport } from "rapport-client";

/** Everything that a page does with one person; what it was told. */
export async function live(baseUrl, token, id) {
  const rapport = new Rapport({ baseUrl, apiKey: token });
  const maya = rapport.relationshipById(id);
  const leaving = new AbortController();
  const events = maya.events("0-0", leaving.signal);
  const event = events.next();
  const turn = await maya.remember("I moved to Lisbon last week.", { wait: 30 });
  const told = (await event).value;
  const awaited = events.next();
  leaving.abort();

  const pieces = [];
  const messages = [{ role: "user", content: "Where do I live?" }];
  const headers = { "X-Rapport-Session": "page", "X-Rapport-Remember": "no" };
  for await (const piece of rapport.chat({ model: "ada", messages }, headers)) pieces.push(piece);

  const entries = [];
  for await (const entry of maya.entries()) entries.push(entry.content);
  const refused = await maya.search("").catch((error) => error);
  return {
    turn: turn.state,
    system: (await maya.context("Where do I live?")).system,
    event: told.name,
    turnOfEvent: JSON.parse(told.data).turn_id === turn.id,
    events: await awaited.then(async (last) => [last.done ?? false, (await events.next()).done]),
    pieces,
    entries,
    refused: [refused.name, refused.status, refused.errors.map((one) => one.field)],
  };
}

/** What happens to a page whose site is not named. */
export async function call(baseUrl, token, id) {
  const rapport = new Rapport({ baseUrl, apiKey: token, retries: 0 });
  return rapport.relationshipById(id).context("Hello").then(() => "answered", (error) => error.name);
}
