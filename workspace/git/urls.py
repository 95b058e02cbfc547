"""The addresses that git itself makes of the one it was given: /git/<relationship>.git"""

from django.urls import path

from workspace.git.views import InfoRefsView, ReceivePackView, UploadPackView

REPOSITORY = "<uuid:relationship_id>.git"

urlpatterns = [
    path(f"{REPOSITORY}/info/refs", InfoRefsView.as_view()),
    path(f"{REPOSITORY}/git-upload-pack", UploadPackView.as_view()),
    path(f"{REPOSITORY}/git-receive-pack", ReceivePackView.as_view()),
]
