"""/mcp serves the SDK's `everything-server`, by our view: same keys, same transport, their tools."""

import os
import sys
from typing import Any

from django.urls import include, path

from connect.mcp.view import McpView

sys.path.insert(0, os.environ["EVERYTHING_SERVER"])


class EverythingView(McpView):
    def server(self) -> Any:
        from mcp_everything_server.server import mcp

        return mcp._lowlevel_server


urlpatterns = [path("mcp", EverythingView.as_view()), path("", include("config.urls"))]
