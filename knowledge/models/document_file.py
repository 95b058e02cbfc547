from django.db import models

from knowledge.models.document import Document


class DocumentFile(models.Model):
    """A document's bytes as uploaded. A table of its own, so that lists don't load them.

    They are kept after reading, so that the document can be read again when the configuration changes.
    """

    document = models.OneToOneField(Document, on_delete=models.CASCADE, primary_key=True, related_name="file")
    content = models.BinaryField()

    class Meta:
        db_table = "context_documentfile"

    def __str__(self) -> str:
        return str(self.document_id)
