// Five turns with a tool of its own, by the openai package.
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.KEY, maxRetries: 0 });
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } }];
const messages = [];

async function answer() {
  const stream = client.chat.completions.stream({
    model: "ada", user: "maya", messages, tools, stream_options: { include_usage: true },
  });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  const message = await stream.finalMessage();
  if (!(await stream.totalUsage()).total_tokens) throw new Error("no usage");
  messages.push({ role: "assistant", content: message.content, ...(message.tool_calls?.length ? { tool_calls: message.tool_calls } : {}) });
  if (!message.tool_calls?.length) return text;
  for (const call of message.tool_calls) messages.push({ role: "tool", tool_call_id: call.id, content: "sunny" });
  return answer();
}

for (const said of JSON.parse(process.env.SAID)) {
  messages.push({ role: "user", content: said });
  console.log(JSON.stringify(await answer()));
}
