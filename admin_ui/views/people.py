"""The page with the people in a person's life, values over time, and events."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from admin_ui.access import OperatorView
from admin_ui.people import events_of, graph_of, people_of, value_histories_of
from admin_ui.timeline import axis_of, dots_of, rows_of

HISTORIES = 16


class PeopleView(OperatorView):
    tab = "people"

    def get(self, request: HttpRequest) -> HttpResponse:
        relationship, now = self.relationship, timezone.now()
        people, ties, rest = people_of(relationship.id)
        histories, events = value_histories_of(relationship.id), events_of(relationship)
        axis = axis_of([(part.begins, part.ends) for line in histories for part in line.spans], now=now)
        began = getattr(relationship, "first_said", None) or now
        reach = max(timedelta(days=365), now - began)
        events_axis = axis_of([(event.begins, event.ends) for event in events], now=now, reach=reach)
        dots, lanes = dots_of(events, events_axis)
        return self.show(
            "people/detail",
            people=people,
            ties=ties,
            graph=graph_of(people, ties, rest),
            rows=rows_of(histories[:HISTORIES], axis),
            more_rows=max(0, len(histories) - HISTORIES),
            axis=axis,
            events_axis=events_axis,
            dots=dots,
            dots_height=26 * max(1, lanes),
            halves=[
                ("Today and ahead", [event for event in events if event.ends > now]),
                ("Past", [event for event in reversed(events) if event.ends <= now]),
            ],
        )
