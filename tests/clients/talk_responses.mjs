// Five turns with a tool of its own, by the openai package and its Responses.
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.KEY, maxRetries: 0 });
const tools = [{ type: "function", name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } }, strict: false }];
const input = [];

async function answer() {
  const stream = client.responses.stream({ model: "ada", user: "maya", input, tools });
  let text = "";
  stream.on("response.output_text.delta", (event) => { text += event.delta; });
  const response = await stream.finalResponse();
  if (response.output_text !== text || !response.usage.total_tokens) throw new Error(JSON.stringify(response));
  input.push(...response.output);
  const calls = response.output.filter((item) => item.type === "function_call");
  if (!calls.length) return text;
  for (const call of calls) input.push({ type: "function_call_output", call_id: call.call_id, output: "sunny" });
  return answer();
}

for (const said of JSON.parse(process.env.SAID)) {
  input.push({ role: "user", content: said });
  console.log(JSON.stringify(await answer()));
}
