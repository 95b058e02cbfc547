"""A person's link to the memory page, opened in a window of their own."""

from playwright.sync_api import Page, expect

from relationships.models import Relationship
from relationships.services.tokens import create_token, page_for
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import BY, Stage

OFFLINE = {"ingestion": {"provider": "offline"}}


def person(stage: Stage, name: str) -> Relationship:
    relationship = stage.relationship(name)
    relationship.config = OFFLINE
    relationship.save()
    return relationship


def link(stage: Stage, relationship: Relationship, *scopes: str, more: str = "") -> str:
    wanted = scopes or ("write",)
    _, token = create_token(relationship=relationship, scopes=wanted, expires_in=600, by=BY)
    return stage.service.web.url + page_for(token, wanted) + more


def opened(desk: Desk, stage: Stage, relationship: Relationship, *scopes: str, more: str = "") -> Page:
    window = desk.open(None)
    window.goto(link(stage, relationship, *scopes, more=more))
    expect(window.locator("#content")).to_be_visible()
    return window
