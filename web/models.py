from django.db import models


class RateWindow(models.Model):
    """How much of a limit a key or a token has used in its present window. One row each, taken over by the next
    window; the table is unlogged: a crash of the database forgets it, and nothing waits for the disk.
    """

    pk = models.CompositePrimaryKey("holder", "name")
    holder = models.UUIDField()  # the key's or the token's ID
    name = models.CharField(max_length=20)  # of config.rates.LIMITS
    seconds = models.PositiveIntegerField()
    ends_at = models.DateTimeField()
    taken = models.BigIntegerField()
    granted = models.BigIntegerField()  # of it, by the last statement, which returns it

    class Meta:
        db_table = "relationships_ratewindow"

    def __str__(self) -> str:
        return f"{self.name} of {self.holder}: {self.taken}"
