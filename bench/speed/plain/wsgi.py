import os

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.speed.plain.settings"

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
