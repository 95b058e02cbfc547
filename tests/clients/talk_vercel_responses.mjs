// Five turns with a tool of its own, by the Vercel AI SDK and its provider for OpenAI, which speaks Responses.
import { createOpenAI } from "@ai-sdk/openai";
import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const rapport = createOpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.KEY, headers: { "X-Rapport-User": "maya" } });
const weather = tool({ description: "The weather", inputSchema: z.object({ city: z.string() }), execute: async () => "sunny" });
const messages = [];

for (const said of JSON.parse(process.env.SAID)) {
  messages.push({ role: "user", content: said });
  const result = streamText({
    model: rapport("ada"), messages, tools: { weather }, stopWhen: stepCountIs(3), maxRetries: 0,
    onError: ({ error }) => { throw error; },
  });
  let text = "";
  for await (const part of result.textStream) text += part;
  messages.push(...(await result.response).messages);
  if (!(await result.totalUsage).totalTokens) throw new Error("no usage");
  console.log(JSON.stringify(text));
}
