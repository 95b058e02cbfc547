"""What an erasure would take, counted before it is asked for, by the same names as it tells afterwards."""

from django.db.models import QuerySet

from memory.services.erasure.relationships import owned_models
from memory.services.erasure.tally import Counts, table_name
from relationships.models import EndUser, Relationship


def count_relationships(relationships: QuerySet[Relationship, Relationship]) -> Counts:
    """Rows of every table that would go with these relationships; tables with none are left out."""
    ids = relationships.order_by().values("id")
    counts = Counts(
        {
            table_name(model): model._base_manager.filter(relationship_id__in=ids).count()
            for model in owned_models()
        }
    )
    return +(counts + Counts({table_name(Relationship): relationships.count()}))


def count_user(user: EndUser) -> Counts:
    """Rows of every table that would go with a person."""
    theirs = Relationship.objects.of_project(user.project_id).filter(user_id=user.id)
    return count_relationships(theirs) + Counts({table_name(EndUser): 1})
