/** Middleware for the Vercel AI SDK: adds the context before the prompt, and stores what was said as a turn. */
import type { LanguageModelV4Middleware, LanguageModelV4StreamPart as StreamPart } from "@ai-sdk/provider";

import type { MessageBody, Relationship } from "./index.js";

type Part = { type: string; text?: string };
type Prompt = { role: string; content: string | Part[] }[];

/** Use it as `wrapLanguageModel({ model, middleware: remembering(maya) })`. `session`: your ID of the conversation. */
export function remembering(relationship: Relationship, session = "current"): LanguageModelV4Middleware {
  const keep = (prompt: Prompt, reply: string) => {
    const asked = lastQuestion(prompt);
    const said: MessageBody[] = [];
    if (asked) said.push({ role: "user", content: asked });
    if (reply) said.push({ role: "assistant", content: reply });
    return said.length ? relationship.remember(said, { session }) : undefined;
  };
  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      const asked = lastQuestion(params.prompt as Prompt);
      const { system } = await relationship.context(asked || undefined, { session });
      return system ? { ...params, prompt: [{ role: "system", content: system }, ...params.prompt] } : params;
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      await keep(params.prompt as Prompt, textOf(result.content as Part[]));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      const reader = stream.getReader();
      let reply = "";
      let kept: Promise<unknown> | undefined;
      const end = () => (kept ??= Promise.resolve(keep(params.prompt as Prompt, reply)));
      // Keep the part of a reply that arrived before it broke off. If the person left before its first word, keep theirs.
      const breakOff = async () => (reply || params.abortSignal?.aborted ? end().catch(() => undefined) : undefined);
      const watched = new ReadableStream<StreamPart>({
        async pull(controller) {
          const part = await reader.read().catch(async (error: unknown) => {
            await breakOff();
            throw error;
          });
          if (part.done) {
            await end();
            return controller.close();
          }
          if (part.value.type === "text-delta") reply += part.value.delta;
          controller.enqueue(part.value);
        },
        async cancel(reason) {
          await Promise.all([reader.cancel(reason), breakOff()]);
        },
      });
      return { stream: watched, ...rest };
    },
  };
}

function lastQuestion(prompt: Prompt): string {
  const last = prompt.at(-1);
  return last?.role === "user" ? textOf(last.content) : "";
}

function textOf(content: string | Part[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}
