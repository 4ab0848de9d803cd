"""What can go wrong with stored objects."""


class StorageError(Exception):
    """Object storage did not do what was asked."""


class WriteFailed(StorageError):
    """The object could not be stored, after all retries."""


class ObjectMissing(StorageError):
    """There is no such object (any more)."""


class ObjectLarger(StorageError):
    """The object is larger than the reader wants."""


class ObjectDamaged(StorageError):
    """The object's bytes do not have the recorded SHA-256."""
