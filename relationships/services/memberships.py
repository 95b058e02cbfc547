"""Who may work in a project: the only writer of Memberships."""

from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from relationships.models import Membership, Operator, Project, Role
from relationships.services.audit import audit_row
from web.actor import Actor, ActorKind
from web.errors import Conflict, InvalidInput, NotFound


@transaction.atomic
def add_member(*, project: Project, email: str, role: str, by: Actor, password: str = "") -> Membership:
    """Let an operator into a project. One who has no account yet gets one, with `password`; without it they are
    invited: the account opens once they have set a password of their own. Who is invited again may be sent a new link.

    Raises InvalidInput; Conflict where they are in already, or have yet to accept another project's invitation, whose
    link would open this project too.
    """
    _check_role(role)
    operator = _operator(email.strip().lower(), password)
    invited = not operator.has_usable_password()
    if invited and Membership.objects.filter(operator=operator).exclude(project=project).exists():
        raise Conflict(
            f"{operator.email} has not accepted another project's invitation yet. Add them afterwards."
        )
    membership, created = Membership.objects.get_or_create(
        operator=operator, project=project, defaults={"role": role}
    )
    if invited:
        operator.set_unusable_password()  # another one: a link that was handed out before leads nowhere
        operator.save(update_fields=["password"])
    elif not created:
        raise Conflict(f"{operator.email} is already a member, as {membership.role}.")
    _tell("membership.created" if created else "membership.invited_again", membership, by)
    return membership


@transaction.atomic
def accept_invitation(*, operator_id: int, name: str, password: str) -> Operator:
    """Open an invited operator's account. `password` is valid. Raises Conflict where it is open already, or gone."""
    operator = Operator.objects.select_for_update().filter(id=operator_id).first()
    if operator is None or operator.has_usable_password():
        raise Conflict("This invitation was accepted or withdrawn.")
    operator.first_name = name
    operator.set_password(password)
    operator.save(update_fields=["first_name", "password"])
    for membership in Membership.objects.filter(operator=operator):
        _tell("membership.accepted", membership, Actor(ActorKind.OPERATOR, operator.email))
    return operator


@transaction.atomic
def change_role(*, project_id: UUID, membership_id: UUID, role: str, by: Actor) -> Membership:
    """Raises NotFound, InvalidInput; Conflict where the project would be left without an owner."""
    _check_role(role)
    membership = _locked(project_id, membership_id)
    if membership.role == Role.OWNER and role != Role.OWNER:
        _refuse_last_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    _tell("membership.changed", membership, by)
    return membership


@transaction.atomic
def remove_member(*, project_id: UUID, membership_id: UUID, by: Actor) -> None:
    """The account stays, unless it was never opened. Raises NotFound, Conflict as change_role does."""
    membership = _locked(project_id, membership_id)
    if membership.role == Role.OWNER:
        _refuse_last_owner(membership)
    _tell("membership.removed", membership, by)
    membership.delete()
    operator = membership.operator
    if not (operator.has_usable_password() or Membership.objects.filter(operator=operator).exists()):
        operator.delete()


def _operator(email: str, password: str) -> Operator:
    operator = Operator.objects.filter(email=email).first()
    if operator is not None:
        return operator
    try:
        validate_email(email)
    except ValidationError:
        raise InvalidInput.of("email", "is not an email address") from None
    if not password:
        return Operator.objects.create_user(email)
    operator = Operator(email=email)
    try:
        validate_password(password, operator)
    except ValidationError as error:
        raise InvalidInput.of("password", " ".join(error.messages)) from None
    return Operator.objects.create_user(email, password)


def _locked(project_id: UUID, membership_id: UUID) -> Membership:
    """All of the project's are locked, so that two owners can't remove each other at once."""
    rows = Membership.objects.filter(project_id=project_id).select_for_update().order_by("id")
    found = next((row for row in rows if row.id == membership_id), None)
    if found is None:
        raise NotFound("This membership does not exist.")
    return found


def _check_role(role: str) -> None:
    if role not in Role.values:
        raise InvalidInput.of("role", f"name one of {', '.join(Role.values)}")


def _refuse_last_owner(membership: Membership) -> None:
    owners = Membership.objects.filter(project_id=membership.project_id, role=Role.OWNER)
    if not owners.exclude(id=membership.id).exists():
        raise Conflict("The project would have no owner left. Make somebody else an owner first.")


def _tell(action: str, membership: Membership, by: Actor) -> None:
    audit_row(membership, action, by, operator=membership.operator_id, role=membership.role)
