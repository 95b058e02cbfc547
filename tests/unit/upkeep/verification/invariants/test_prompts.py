from memory.ingestion.prompt_versions import create_prompt
from memory.models import IngestionPrompt
from relationships.models import Companion
from tests.unit.upkeep.verification.damage import check_left, check_whole
from web.actor import Actor


def written(companion: Companion, count: int) -> None:
    for number in range(count):
        create_prompt(
            companion=companion,
            template=f"Keep what matters {number}.",
            note="",
            publish=True,
            by=Actor.policy("test"),
        )


def test_versions_that_are_all_there_are_in_order(companion: Companion) -> None:
    written(companion, 3)

    check_whole()


def test_a_published_version_that_is_not_there_is_left_to_a_person(companion: Companion) -> None:
    Companion.objects.update(prompt_version=2)

    check_left(["prompts/not_there"])


def test_a_version_that_is_lost_is_named(companion: Companion) -> None:
    written(companion, 3)
    IngestionPrompt.objects.filter(version=2).delete()

    check_left(["prompts/gap"])
