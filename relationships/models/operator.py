from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models


class OperatorManager(BaseUserManager["Operator"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "Operator":
        if not email:
            raise ValueError("an operator needs an email address")
        operator = self.model(email=self.normalize_email(email).lower(), **fields)
        operator.set_password(password)
        operator.save(using=self._db)
        return operator

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "Operator":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class Operator(AbstractUser):
    """A person who reviews and corrects what is remembered. Signs in with an email address."""

    username = None  # type: ignore[assignment]
    last_login = None  # not used, and each would be a write to every node of a distributed database
    email = models.EmailField(unique=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[OperatorManager] = OperatorManager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.email
