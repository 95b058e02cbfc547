"""A LangGraph graph whose store is Rapport. Needs rapport-client[langgraph], RAPPORT_URL and RAPPORT_API_KEY."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from rapport_client import Rapport
from rapport_client.adapters.langgraph import RapportStore


class State(TypedDict):
    said: str
    known: str


def remember(state: State, *, store: BaseStore) -> State:
    store.put(("memories", "maya"), "diet", {"text": state["said"]})
    found = store.search(("memories", "maya"), query="What can she eat?")
    return {**state, "known": found[0].value["text"]}


with Rapport() as rapport:
    store = RapportStore(rapport, companion="ada", user=lambda namespace: namespace[1])
    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    told = graph.compile(store=store).invoke({"said": "She is allergic to peanuts.", "known": ""})
    print(told["known"])
