from context.answer import ChatMessage

SYSTEM = "You are Ada.\n\n<rapport_memory>\n- Prefers tea\n</rapport_memory>"
GREETING = ChatMessage(role="assistant", content="Good morning!")
HI = ChatMessage(role="user", content="Hi")
AND = ChatMessage(role="user", content="And you?")

CONVERSATIONS: dict[str, list[ChatMessage]] = {
    "a question": [HI],
    "an exchange": [HI, GREETING, AND],
    "two of the user": [HI, AND],
    "the companion first": [GREETING, HI],
    "the companion alone": [GREETING],
    "neighbours everywhere": [GREETING, GREETING, HI, AND, GREETING, GREETING],
    "silence": [],
}
