"""Structured Streaming from topic to topic: each event of JSON with what was opened. Started again, it goes on where it was.

    spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0 \
        kafka_open.py /etc/pqseal/key.txt b1:9092,b2:9092 sealed opened hdfs:///pqseal/checkpoint
"""

import sys

import pqseal.spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

# The fields to keep. `_corrupt_record` is the text of a message that is not JSON.
SCHEMA = "RayID string, Action string, Metadata struct<encrypted_matched_data: string, type: string>, _corrupt_record string"
# A stop in the middle of a batch repeats the messages of that batch, so this many at most.
BATCH = 100_000

key_file, brokers, source, target, checkpoint = sys.argv[1:]
spark = SparkSession.builder.appName("pqseal-kafka").getOrCreate()
messages = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", brokers)
    .option("subscribe", source)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", BATCH)
    .load()
)
events = messages.select("key", F.from_json(F.col("value").cast("string"), SCHEMA).alias("event")).select("key", "event.*")
opened = pqseal.spark.open_column(events, "Metadata.encrypted_matched_data", key_file)
value = F.to_json(F.struct(*(name for name in opened.columns if name != "key")))
query = (
    opened.select("key", value.alias("value"))
    .writeStream.format("kafka")
    .option("kafka.bootstrap.servers", brokers)
    .option("topic", target)
    .option("checkpointLocation", checkpoint)
    .start()
)
query.awaitTermination()
