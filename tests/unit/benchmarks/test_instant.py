import orjson

from benchmarks.instant import InstantProvider, respond
from memory.ingestion.operations import Operation, check_operations, parse_answer
from memory.ingestion.prompt import build_request
from tests.unit.memory.ingestion.readings import ingestion_input


def test_each_message_of_the_person_becomes_an_entry() -> None:
    material = ingestion_input("I like rain.", "And snow.")

    completion = InstantProvider(alias="instant").complete(build_request(material))

    operations = check_operations(parse_answer(completion.text), material)
    understood = [operation for operation in operations if isinstance(operation, Operation)]
    assert [(operation.content, operation.messages) for operation in understood] == [
        ("I like rain.", (1,)),
        ("And snow.", (2,)),
    ]


def test_behind_http_it_reads_the_same_out_of_the_prompt() -> None:
    request = build_request(ingestion_input("I like rain.", "And snow."))

    item = respond(
        {"messages": [{"role": "system", "content": ""}, {"role": "user", "content": request.prompt}]}
    )

    in_process = InstantProvider(alias="instant").complete(request)
    assert item == {"json": orjson.loads(in_process.text)}
