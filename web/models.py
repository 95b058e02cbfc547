from django.db import models


class RateWindow(models.Model):
    """How much of a limit a key or a token has used in its present window. The row is reused for the next window.

    The table is unlogged: a crash of the database empties it, and no write waits for the disk.
    """

    pk = models.CompositePrimaryKey("holder", "name")
    holder = models.UUIDField()  # the key's or the token's ID
    name = models.CharField(max_length=20)  # one of config.rates.LIMITS
    seconds = models.PositiveIntegerField()
    ends_at = models.DateTimeField()
    taken = models.BigIntegerField()
    granted = models.BigIntegerField()  # the share taken by the last statement, which returns it

    class Meta:
        db_table = "relationships_ratewindow"

    def __str__(self) -> str:
        return f"{self.name} of {self.holder}: {self.taken}"
