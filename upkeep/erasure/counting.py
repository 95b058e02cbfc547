"""What an erasure would take, counted before it is asked for, by the same names as it tells afterwards."""

from typing import Any

from django.db.models import Count, Model, QuerySet, Value

from relationships.models import EndUser, Relationship
from upkeep.erasure.relationships import owned_models
from upkeep.erasure.tally import Counts, table_name


def count_relationships(relationships: QuerySet[Relationship, Relationship]) -> Counts:
    """Rows of every table that would go with these relationships, in one statement; tables with none are left out."""
    ids = relationships.order_by().values("id")
    owned = [_count(model, model._base_manager.filter(relationship_id__in=ids)) for model in owned_models()]
    return Counts(dict(_count(Relationship, relationships.order_by()).union(*owned, all=True)))


def _count(model: type[Model], rows: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """The table's name and how many rows; no row where there are none."""
    named: QuerySet[Any, Any] = rows.order_by().annotate(table=Value(table_name(model)))
    counted: QuerySet[Any, Any] = named.values("table").annotate(count=Count("*"))
    return counted.values_list("table", "count")


def count_user(user: EndUser) -> Counts:
    """Rows of every table that would go with a person."""
    theirs = Relationship.objects.of_project(user.project_id).filter(user_id=user.id)
    return count_relationships(theirs) + Counts({table_name(EndUser): 1})
