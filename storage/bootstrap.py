"""Make the results bucket what the contract says. Safe to repeat."""

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from dpp_project.profile import LONGEST_RETENTION_DAYS, PROFILE
from storage.object_keys import HANDOVERS, LONG_ROOT, ROOT, UPLOADS

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def bootstrap_bucket(client: "S3Client", bucket: str, region: str) -> None:
    try:
        client.head_bucket(Bucket=bucket)
    except ClientError:
        if region == "us-east-1":
            client.create_bucket(Bucket=bucket)
        else:
            client.create_bucket(
                Bucket=bucket,
                CreateBucketConfiguration={"LocationConstraint": region},  # type: ignore[typeddict-item]
            )
    client.put_bucket_lifecycle_configuration(
        Bucket=bucket,
        LifecycleConfiguration={
            "Rules": [
                {
                    "ID": "dpp-retention",
                    "Status": "Enabled",
                    "Filter": {"Prefix": ROOT},
                    "Expiration": {"Days": PROFILE.retention_days},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
                },
                {
                    "ID": "dpp-long-retention",
                    "Status": "Enabled",
                    "Filter": {"Prefix": LONG_ROOT},
                    "Expiration": {"Days": LONGEST_RETENTION_DAYS},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
                },
                {
                    "ID": "dpp-uploads",
                    "Status": "Enabled",
                    "Filter": {"Prefix": UPLOADS},
                    "Expiration": {"Days": 1},
                },
                {
                    "ID": "dpp-handover",
                    "Status": "Enabled",
                    "Filter": {"Prefix": HANDOVERS},
                    "Expiration": {"Days": 1},
                },
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
