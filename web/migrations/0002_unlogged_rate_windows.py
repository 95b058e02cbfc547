"""A crash of the database may forget the counts: they are unlogged, and half of each page stays free, so that a
count is changed where it stands.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("web", "0001_rate_windows")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE relationships_ratewindow SET UNLOGGED, SET (fillfactor = 50)",
            "ALTER TABLE relationships_ratewindow SET LOGGED, RESET (fillfactor)",
        )
    ]
