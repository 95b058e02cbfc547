"""Run by the interpreter of an environment with mem0ai: its own client, unmodified, against /mem0."""

import asyncio
import os

from mem0 import AsyncMemoryClient, MemoryClient

client = MemoryClient(api_key=os.environ["RAPPORT_API_KEY"], host=os.environ["RAPPORT_URL"] + "/mem0")
maya, tom = {"user_id": "maya"}, {"user_id": "tom"}

event = client.add([{"role": "user", "content": "Is it Monday?"}], **tom)
assert event["status"] == "PENDING", event
event = client.add([{"role": "user", "content": "[2024-05-08] I moved to Lisbon."}], async_mode=False, **maya)
assert (event["status"], event["results"][0]["event"]) == ("SUCCEEDED", "ADD"), event
found = client.get_all(filters=maya)["results"]
assert "Lisbon" in found[0]["memory"], found
assert found[0]["created_at"].startswith("2024-05-08"), found

kept = client.add("Has a cat.", infer=False, metadata={"source": "form"}, **maya)["results"][0]
assert client.get(kept["id"])["metadata"] == {"source": "form"}
assert client.search("Has she got a cat?", filters=maya)["results"][0]["memory"] == "Has a cat."
assert client.search("Has she got a cat?", filters=tom)["results"] == []
assert client.get_all(filters=tom)["count"] == 0
assert client.update(kept["id"], text="Has two cats.")["memory"] == "Has two cats."
history = [(one["event"], one["old_memory"], one["new_memory"]) for one in client.history(kept["id"])]
assert history == [("ADD", None, "Has a cat."), ("UPDATE", "Has a cat.", "Has two cats.")], history
client.delete(kept["id"])
assert len(client.get_all(filters={"AND": [maya]})["results"]) == 1

more = [client.add(f"Fact {n}.", infer=False, **tom)["results"][0]["id"] for n in range(5)]
assert len(client.get_all(filters=tom, page=2, page_size=2)["results"]) == 2
client.batch_update([{"memory_id": one, "text": f"Changed {one[-4:]}."} for one in more[:2]])
client.batch_delete([{"memory_id": one} for one in more[2:]])
assert {one["memory"][:7] for one in client.get_all(filters=tom)["results"]} == {"Changed"}
names = {(one["type"], one["name"]) for one in client.users()["results"]}
assert {("user", "maya"), ("user", "tom"), ("agent", "mem0")} <= names, names
client.delete_all(**tom)
assert client.get_all(filters=tom)["count"] == 0
assert client.get_all(filters=maya)["count"] == 1
client.delete_users(user_id="maya")
assert ("user", "maya") not in {(one["type"], one["name"]) for one in client.users()["results"]}

try:
    client.get_summary()
except Exception as refused:
    assert "not offered here" in str(refused), refused
else:
    raise AssertionError("a summary of nothing")


async def asynchronously() -> None:
    async with AsyncMemoryClient(api_key=client.api_key, host=client.host) as other:
        await other.add("Likes rain.", infer=False, user_id="noor")
        found = await other.search("rain", filters={"user_id": "noor"})
        assert found["results"][0]["memory"] == "Likes rain."


asyncio.run(asynchronously())
print("whole")
