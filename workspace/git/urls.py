"""The URLs that git derives from the repository's: /git/<relationship>.git"""

from django.urls import path

from workspace.git.views import InfoRefsView, ReceivePackView, UploadPackView

REPOSITORY = "<uuid:relationship_id>.git"

urlpatterns = [
    path(f"{REPOSITORY}/info/refs", InfoRefsView.as_view()),
    path(f"{REPOSITORY}/git-upload-pack", UploadPackView.as_view()),
    path(f"{REPOSITORY}/git-receive-pack", ReceivePackView.as_view()),
]
