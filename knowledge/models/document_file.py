from django.db import models

from knowledge.models.document import Document


class DocumentFile(models.Model):
    """A document's bytes as they came, apart from it so that no list carries them.

    They are kept once the document is ready, so that it can be read again when the configuration has changed.
    """

    document = models.OneToOneField(Document, on_delete=models.CASCADE, primary_key=True, related_name="file")
    content = models.BinaryField()

    class Meta:
        db_table = "context_documentfile"

    def __str__(self) -> str:
        return str(self.document_id)
