// The Vercel AI SDK with a model that knows the person. Set RAPPORT_URL and RAPPORT_API_KEY, and MODEL_URL and MODEL_KEY of your model.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { Rapport } from "rapport-client";
import { remembering } from "rapport-client/vercel";

const { MODEL_URL, MODEL_KEY } = process.env;
const maya = await new Rapport().relationship("ada", "maya");
await maya.add("Is allergic to peanuts.");

const provider = createOpenAICompatible({ name: "mine", baseURL: MODEL_URL, apiKey: MODEL_KEY });
const model = wrapLanguageModel({ model: provider("my-model"), middleware: remembering(maya, "phone") });

const { text } = await generateText({ model, prompt: "What should I cook tonight?" });
console.log(text);
for await (const part of streamText({ model, prompt: "And tomorrow?" }).textStream) process.stdout.write(part);
