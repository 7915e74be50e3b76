"""Local generalization and bucketization (Li, He, Sun 2019)."""
