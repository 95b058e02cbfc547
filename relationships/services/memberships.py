"""Who may work in a project: the only writer of Memberships."""

from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone

from relationships.models import Membership, Operator, Project, Role
from relationships.services.audit import audit_row
from web.actor import Actor, ActorKind
from web.errors import Conflict, InvalidInput, NotFound


@transaction.atomic
def add_member(*, project: Project, email: str, role: str, by: Actor, password: str = "") -> Membership:
    """Invite somebody to a project, with an account if they have none, which is theirs once they choose a password.
    They become a member when they accept, or at once if `password` sets the account's.

    Inviting somebody again makes earlier links invalid. Raises InvalidInput; Conflict if they are a member already.
    """
    _check_role(role)
    operator = _operator(email.strip().lower(), password)
    membership, created = Membership.objects.select_for_update().get_or_create(
        operator=operator,
        project=project,
        defaults={"role": role, "invited_at": None if password else timezone.now()},
    )
    if not created:
        if membership.invited_at is None:
            raise Conflict(f"{operator.email} is already a member, as {membership.role}.")
        membership.role, membership.invited_at = role, timezone.now()
        membership.save(update_fields=["role", "invited_at"])
    _audit("membership.created" if created else "membership.invited_again", membership, by)
    return membership


@transaction.atomic
def accept_invitation(invited: Membership, *, name: str = "", password: str = "") -> Membership:
    """Make who was invited a member. If the account is new, `name` and `password` become its own; the password was
    validated before.

    Raises Conflict if the invitation was accepted, renewed or withdrawn meanwhile.
    """
    waiting = Membership.objects.select_for_update().filter(invited_at__isnull=False)
    membership = waiting.filter(id=invited.id, invited_at=invited.invited_at).first()
    operator = Operator.objects.select_for_update().filter(id=invited.operator_id).first()
    if operator is None or membership is None or bool(password) == operator.has_usable_password():
        raise Conflict("This invitation was accepted, renewed or withdrawn.")
    if password:
        operator.first_name = name
        operator.set_password(password)
        operator.save(update_fields=["first_name", "password"])
    membership.operator, membership.invited_at = operator, None
    membership.save(update_fields=["invited_at"])
    _audit("membership.accepted", membership, Actor(ActorKind.OPERATOR, operator.email))
    return membership


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
        return _new_account(email)
    operator = Operator(email=email)
    try:
        validate_password(password, operator)
    except ValidationError as error:
        raise InvalidInput.of("password", " ".join(error.messages)) from None
    return _new_account(email, password)


def _new_account(email: str, password: str | None = None) -> Operator:
    try:
        with transaction.atomic():
            return Operator.objects.create_user(email, password)
    except IntegrityError:  # somebody else invited them at this moment
        return Operator.objects.get(email=email)


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
    owners = Membership.objects.filter(
        project_id=membership.project_id, role=Role.OWNER, invited_at__isnull=True
    )
    if not owners.exclude(id=membership.id).exists():
        raise Conflict("The project would have no owner left. Make somebody else an owner first.")


def _audit(action: str, membership: Membership, by: Actor) -> None:
    audit_row(membership, action, by, operator=membership.operator_id, role=membership.role)
