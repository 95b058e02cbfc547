"""Claude's memory tool on a person's files. Needs rapport-client[anthropic], RAPPORT_URL and both API keys."""

from anthropic import Anthropic
from rapport_client import Rapport
from rapport_client.adapters.anthropic import RapportMemoryTool

with Rapport() as rapport, Anthropic() as claude:
    maya = rapport.relationship(companion="ada", user="maya")
    runner = claude.beta.messages.tool_runner(
        model="claude-sonnet-4-5",
        max_tokens=1000,
        tools=[RapportMemoryTool(maya)],
        messages=[{"role": "user", "content": "I fly to Porto on Friday. Plan it, and keep the plan."}],
    )
    print(runner.until_done().content[0].text)
    for file in rapport.files_list(maya.id)["files"]:
        print(file["path"])
