"""Spark on an object store: JSON lines in, the same records with what was opened out.

    export AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=...
    spark-submit --packages org.apache.hadoop:hadoop-aws:3.5.0 s3_open.py /etc/pqseal/key.txt s3a://logs/firewall/ s3a://opened/firewall/
"""

import sys

import pqseal.spark
from pyspark.sql import SparkSession

# The fields to keep. `_corrupt_record` is the text of a line that is not JSON.
SCHEMA = "RayID string, Action string, Metadata struct<encrypted_matched_data: string, type: string>, _corrupt_record string"

key_file, logs, output = sys.argv[1:]
spark = SparkSession.builder.appName("pqseal-s3").getOrCreate()
events = spark.read.schema(SCHEMA).json(logs)
opened = pqseal.spark.open_column(events, "Metadata.encrypted_matched_data", key_file)
opened.write.json(output, compression="gzip")
