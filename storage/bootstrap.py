"""Make the results bucket what the contract says. Safe to repeat."""

from botocore.exceptions import ClientError
from django.conf import settings

from dpp_project.profile import PROFILE
from storage.store import s3


def bootstrap_bucket() -> str:
    client, bucket = s3(), settings.RESULTS_BUCKET
    try:
        client.head_bucket(Bucket=bucket)
    except ClientError:
        if settings.AWS_REGION == "us-east-1":
            client.create_bucket(Bucket=bucket)
        else:
            client.create_bucket(
                Bucket=bucket,
                CreateBucketConfiguration={"LocationConstraint": settings.AWS_REGION},  # type: ignore[typeddict-item]
            )
    client.put_bucket_lifecycle_configuration(
        Bucket=bucket,
        LifecycleConfiguration={
            "Rules": [
                {
                    "ID": "dpp-retention",
                    "Status": "Enabled",
                    "Filter": {"Prefix": "dpp/"},
                    "Expiration": {"Days": PROFILE.retention_days},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
                }
            ]
        },
    )
    client.put_public_access_block(
        Bucket=bucket,
        PublicAccessBlockConfiguration={
            "BlockPublicAcls": True,
            "IgnorePublicAcls": True,
            "BlockPublicPolicy": True,
            "RestrictPublicBuckets": True,
        },
    )
    client.put_bucket_encryption(
        Bucket=bucket,
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
        },
    )
    return bucket
