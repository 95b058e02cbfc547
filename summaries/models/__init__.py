from summaries.models.summary import Summary, SummaryState

__all__ = ["Summary", "SummaryState"]
