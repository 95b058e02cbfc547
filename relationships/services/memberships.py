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
    """Make an operator a member of a project, and give them an account if they have none.

    Without a `password` they are invited: they can sign in once they have set one themselves. Inviting somebody again
    makes a new link possible and the old one invalid.

    Raises InvalidInput; Conflict if they are a member already, or have yet to accept another project's invitation,
    whose link would let them into this project too.
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
        operator.set_unusable_password()  # a new random one, which makes earlier links invalid
        operator.save(update_fields=["password"])
    elif not created:
        raise Conflict(f"{operator.email} is already a member, as {membership.role}.")
    _audit("membership.created" if created else "membership.invited_again", membership, by)
    return membership


@transaction.atomic
def accept_invitation(*, operator_id: int, name: str, password: str) -> Operator:
    """Give an invited operator their password, which was validated before.

    Raises Conflict if the invitation was accepted or withdrawn.
    """
    operator = Operator.objects.select_for_update().filter(id=operator_id).first()
    if operator is None or operator.has_usable_password():
        raise Conflict("This invitation was accepted or withdrawn.")
    operator.first_name = name
    operator.set_password(password)
    operator.save(update_fields=["first_name", "password"])
    for membership in Membership.objects.filter(operator=operator):
        _audit("membership.accepted", membership, Actor(ActorKind.OPERATOR, operator.email))
    return operator


@transaction.atomic
def change_role(*, project_id: UUID, membership_id: UUID, role: str, by: Actor) -> Membership:
    """Raises NotFound, InvalidInput; Conflict if the project would be left without an owner."""
    _check_role(role)
    membership = _locked(project_id, membership_id)
    if membership.role == Role.OWNER and role != Role.OWNER:
        _refuse_last_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    _audit("membership.changed", membership, by)
    return membership


@transaction.atomic
def remove_member(*, project_id: UUID, membership_id: UUID, by: Actor) -> None:
    """Delete the membership, and the account if its invitation was never accepted. Raises like change_role."""
    membership = _locked(project_id, membership_id)
    if membership.role == Role.OWNER:
        _refuse_last_owner(membership)
    _audit("membership.removed", membership, by)
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
    """Lock all memberships of the project, so that two owners can't remove each other, and return one of them."""
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


def _audit(action: str, membership: Membership, by: Actor) -> None:
    audit_row(membership, action, by, operator=membership.operator_id, role=membership.role)
