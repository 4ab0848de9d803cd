"""All that openapi.json describes: what the API serves, and what the event gateway serves beside it."""

from dpp_project.urls import urlpatterns as of_the_api
from runs.gateway.urls import urlpatterns as of_the_gateway

urlpatterns = [*of_the_api, *of_the_gateway]
