"""What a load balancer and Prometheus ask for."""

from django.urls import URLPattern, path

from worker.api.health import healthz, metrics, readyz, readyz_worker

urlpatterns: list[URLPattern] = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("readyz/worker", readyz_worker),
    path("metrics", metrics),
]
