from django.apps import AppConfig


class PlainConfig(AppConfig):
    name = "bench.speed.plain"
    label = "plain"
