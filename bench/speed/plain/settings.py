"""Django with nothing but what the plain views need, on the same database."""

from dpp_project.env import Env

env = Env()

SECRET_KEY = "only-for-measurements"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["rest_framework", "bench.speed.plain"]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "bench.speed.plain.urls"
DATABASES = {
    "default": {**env.database("DATABASE_URL"), "OPTIONS": {"pool": {"min_size": 2, "max_size": 16, "timeout": 5}}}
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
}
USE_TZ = True
